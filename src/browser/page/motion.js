// Waits for content that enters or leaves with an animation after an act: a page removes a dialog only when it has
// faded out. Animations that change nothing in a snapshot are not waited for.

/** The longest wait for animations after an act, in milliseconds. An animation that takes longer is not waited for. */
const LONGEST_MOTION = 400;
/** The age in milliseconds up to which an animation counts as caused by the act before it. */
const FRESH = 250;
/** An opacity below which content counts as not there. */
const UNSEEN = 0.1;
/** Properties whose animation opens or closes a part of the page. */
const SIZES = new Set(
  'bottom clipPath display gridTemplateRows height left marginTop maxHeight right top visibility width'.split(' '),
);
/** The shortest way that a part of the page slides in or out, in pixels or percent; less is an effect of hovering. */
const SHORTEST_SLIDE = 30;
/** Elements to act on: what slides without them, such as a mark below a tab, is decoration. */
const PARTS = 'a, button, input, select, textarea, [role], [tabindex]';

/** Returns the animations that the last act has started and that end in time. */
function motions() {
  return animations(document).filter((animation) => {
    const { effect, playState } = animation;
    if (!(effect instanceof KeyframeEffect) || !effect.target || playState !== 'running') return false;
    const { endTime } = effect.getComputedTiming();
    const age = Number(animation.currentTime ?? 0);
    return age <= FRESH && endTime - age <= LONGEST_MOTION && changesContent(effect);
  });
}

/** True if an animation shows or hides content, changes its size, or slides a part with something to act on. */
function changesContent(effect) {
  const { target } = effect;
  if (!tidy(textContent(target)) && !query(target, PARTS).length) return false;
  const frames = effect.getKeyframes();
  const names = new Set(frames.flatMap(Object.keys));
  const opacities = frames.map(({ opacity }) => opacity).filter((opacity) => opacity !== undefined);
  if (opacities.some((opacity) => Number(opacity) <= UNSEEN)) return true;
  if ([...names].some((name) => SIZES.has(name))) return true;
  const way = ({ transform = '', translate = '' }) => (transform + translate).match(/\d+(?:\.\d+)?/g) ?? [];
  const slides = frames.flatMap(way).some((length) => Number(length) >= SHORTEST_SLIDE);
  return slides && query(target, PARTS).length > 0;
}

const movesNow = () => motions().length > 0;

/**
 * Resolves when the animations of `motions`, and those that follow them, have ended and the page has reacted, or after a
 * limited time. Returns `{ title, moves: false }`.
 */
async function motionEnded() {
  const end = performance.now() + LONGEST_MOTION;
  for (let running = motions(); running.length && performance.now() < end; running = motions()) {
    const ended = Promise.allSettled(running.map(({ finished }) => finished));
    await Promise.race([ended, new Promise((done) => setTimeout(done, end - performance.now()))]);
    await twoFrames();
  }
  return { title: documentTitle(document), moves: false };
}
