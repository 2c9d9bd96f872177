// What the server may call. Everything takes and gives plain JSON, but `element`. A target is a reference, a selector,
// `text=...`, `role=button[name="..."]`, `{ role, name }` or `{ text }`. Nothing throws for what a page or a caller can
// cause: such trouble is `{ error, ... }`.

/** An option that is null is not given: JSON knows no undefined. */
function withoutNulls(options) {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== null));
}

globalThis.fumi = Object.freeze({
  // the frame
  frame: (options) => frame(withoutNulls(options)),
  snapshot: (options) => snapshot(withoutNulls(options)),
  find: (options) => find(withoutNulls(options)),
  wait: (options) => wait(withoutNulls(options)),
  settled: settledPage,
  tasks: tasksDone,
  caughtUp,
  title: () => documentTitle(document),
  // one element
  resolve,
  resolveAnd,
  element: elementOf,
  elements: (options) => matching(withoutNulls(options)),
  playwright,
  html: (target, options) => html(target, withoutNulls(options)),
  frameBox,
  // acting
  aim: (target, options) => aim(target, withoutNulls(options)),
  beginTyping,
  chooseOption,
  watchDrags,
  seenDrags,
  rest,
  fill,
  heldIn,
  opened,
  listKind,
  optionOf,
  chosenIn,
  focusOn,
  slider,
  select: choose,
  check: (target, wanted) => check(target, wanted ?? true),
  isFileInput,
  awaitKeys,
  keysCame,
  paste,
});
