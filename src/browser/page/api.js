// The functions that the server may call. They take and return plain JSON, except `element`. A target is a reference, a
// selector, `text=...`, `role=button[name="..."]`, `{ role, name }` or `{ text }`. No function throws for a cause in
// the page or in the caller's arguments: it returns `{ error, ... }` instead.

/** Removes options that are null: JSON has no undefined, so null means that an option was omitted. */
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
  motion: motionEnded,
  scrolled,
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
  hasMissed,
  beginTyping,
  chooseOption,
  watchDrags,
  seenDrags,
  rest,
  fill,
  heldIn,
  opened,
  revealed,
  listKind,
  optionOf,
  chosenIn,
  openList,
  focusOn,
  slider,
  select: choose,
  check,
  awaitKeys,
  keysCame,
  paste,
  leave,
});
