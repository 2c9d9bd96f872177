// Waiting for the page: by its own frames and changes, never by polling alone.

/** The number of milliseconds that count as one frame in a hidden tab, which draws none. */
const FRAME_BOUND = 100;
/**
 * The longest time between two checks, in milliseconds. Style sheets, shadow roots and timers change what is visible
 * without a mutation that is observed here.
 */
const SAFETY_NET = 200;

/** Resolves at the next animation frame. */
function nextFrame() {
  return new Promise((done) => {
    const timer = setTimeout(done, FRAME_BOUND);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      done();
    });
  });
}

/** The time without a frame, in milliseconds, after which a visible page counts as one that draws none. */
const SLOWEST_FRAME = 500;

/**
 * Resolves at the next animation frame, without a timer in its place: true if a frame came. A hidden page draws none.
 */
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

/** Resolves when all tasks that are posted by now have run. */
function nextTask() {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(null);
  });
}

/** Resolves after two animation frames: the changes of a handler are then laid out and drawn. */
async function twoFrames() {
  await nextFrame();
  await nextFrame();
}

/** The two frames after the last act for which no call has waited; they pass while other work is done. */
let framesSince;

/** Resolves after two frames from now, with `{ title, moves }` at that time; see `motion.js` for `moves`. */
async function settledPage() {
  await twoFrames();
  return { title: documentTitle(document), moves: movesNow() };
}

/**
 * Resolves after the rest of the frames since the last `tasksDone`, or after two frames from now in a document without
 * one. Returns `{ title, moves }` at that time.
 */
async function caughtUp() {
  await (framesSince ?? twoFrames());
  return { title: documentTitle(document), moves: movesNow() };
}

/**
 * Resolves after two tasks: requests that a handler makes at its end (a submitted form, a change in a microtask) have
 * been made by then. Returns the title at that time: `{ title }`.
 */
async function tasksDone() {
  framesSince = twoFrames();
  await nextTask();
  await nextTask();
  return { title: documentTitle(document) };
}

/** The number of frames within which a key begins to scroll, and the longest time that it scrolls, in milliseconds. */
const SCROLL_START = 6;
const LONGEST_SCROLL = 1_500;

/** True while something in the document scrolls. */
let isScrolling = false;
function onScroll(event) {
  if (event.isTrusted) isScrolling = event.type === 'scroll';
}

/** `document.open()` removes all listeners; a second call has no effect otherwise. */
function listenToScrolls() {
  for (const type of ['scroll', 'scrollend']) addEventListener(type, onScroll, { capture: true, passive: true });
}
listenToScrolls();

/** Resolves when the smooth scroll of a key has ended: pages show other rows and load more while they scroll. */
async function scrolled() {
  listenToScrolls();
  for (let frame = 0; !isScrolling && frame < SCROLL_START; frame += 1) await nextFrame();
  const end = performance.now() + LONGEST_SCROLL;
  while (isScrolling && performance.now() < end) await nextFrame();
  return { scrolled: true };
}

/** Resolves at the next mutation of the document, after the safety net, or after `left` milliseconds. */
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

/** Waits until `test()` returns a true value, and returns that value; undefined after `timeout` milliseconds. */
async function until(test, timeout) {
  const end = performance.now() + timeout;
  for (;;) {
    const result = test();
    if (result) return result;
    const left = end - performance.now();
    if (left <= 0) return undefined;
    await nextChange(left);
    // All changes of one task or frame are checked at once.
    await nextFrame();
  }
}

const textIsSeen = (text) => innermost(tidy(text).toLowerCase()).some(isVisible);

/**
 * Returns `{ ok }`: true if a text appears, or another disappears, within `timeout` milliseconds. If both are given,
 * both conditions must hold at once.
 */
async function wait({ text, textGone, timeout }) {
  const holds = () => (!text || textIsSeen(text)) && (!textGone || !textIsSeen(textGone));
  return { ok: Boolean(await until(holds, timeout)) };
}
