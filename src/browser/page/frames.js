// Waiting for the page: by its own frames and changes, never by polling alone.

/** A hidden tab draws no frames; then this many milliseconds count as one. */
const FRAME_BOUND = 100;
/**
 * Style sheets, shadow roots and timers change what is visible without a mutation that we see: look at least this
 * often.
 */
const SAFETY_NET = 200;

/** The next animation frame. */
function nextFrame() {
  return new Promise((done) => {
    const timer = setTimeout(done, FRAME_BOUND);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      done();
    });
  });
}

/** How long a visible page may take for one frame before it counts as one that draws none, in milliseconds. */
const SLOWEST_FRAME = 500;

/** The next animation frame, and no timer instead of it: true if it came. A hidden page draws none. */
function drawnFrame() {
  const bound = documentIsHidden(document) ? FRAME_BOUND : SLOWEST_FRAME;
  return new Promise((done) => {
    const timer = setTimeout(done, bound, false);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      done(true);
    });
  });
}

/** The end of what is posted by now. */
function nextTask() {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(null);
  });
}

/** Two animation frames: what a handler changed is laid out and drawn. */
async function twoFrames() {
  await nextFrame();
  await nextFrame();
}

/** The two frames after the last act that nobody waited for; they pass while other things are done. */
let framesSince;

/** Two frames from now. `{ title }`, as it is then. */
async function settledPage() {
  await twoFrames();
  return { title: documentTitle(document) };
}

/** What is left of the frames since the last `tasksDone`; of a document that had none, two from now. `{ title }`, as it is then. */
async function caughtUp() {
  await (framesSince ?? twoFrames());
  return { title: documentTitle(document) };
}

/**
 * Two tasks: what a handler asked for when it ended (a form that is sent, a microtask's change) has been asked for. `{ title }`, as
 * it is then.
 */
async function tasksDone() {
  framesSince = twoFrames();
  await nextTask();
  await nextTask();
  return { title: documentTitle(document) };
}

/** Resolves at the next mutation of the document, at the safety net, or when `left` milliseconds are over. */
function nextChange(left) {
  return new Promise((done) => {
    const finish = () => {
      observer.disconnect();
      clearTimeout(timer);
      done();
    };
    const observer = new MutationObserver(finish);
    const timer = setTimeout(finish, Math.max(0, Math.min(SAFETY_NET, left)));
    observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
  });
}

/** Waits until `test()` gives something true, and gives it back; undefined after `timeout` milliseconds. */
async function until(test, timeout) {
  const end = performance.now() + timeout;
  for (;;) {
    const result = test();
    if (result) return result;
    const left = end - performance.now();
    if (left <= 0) return undefined;
    await nextChange(left);
    // Many changes of one task or frame are looked at once.
    await nextFrame();
  }
}

const textIsSeen = (text) => innermost(tidy(text).toLowerCase()).some(isVisible);

/** `{ ok }`: whether a text came to be seen, or another to be gone, within `timeout` milliseconds; both at once if given. */
async function wait({ text, textGone, timeout }) {
  const holds = () => (!text || textIsSeen(text)) && (!textGone || !textIsSeen(textGone));
  return { ok: Boolean(await until(holds, timeout)) };
}
