// Stops a press that would reach another element than the one that was aimed at. A page can move its content between
// the answer of `aim` and the press, for example when an animation ends.

const PRESS_EVENTS = 'pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu'.split(' ');

/**
 * The press or the moves that come next: `{ kind, element, role, name, isHit, isDown, isAsked }`. `isHit` is undefined
 * before the first event.
 */
let expected;

/** The press before `expected` whose release has not come yet. The release belongs to it, however late it comes. */
let unreleased;

/** Expects a press ("press") or moves ("move") on an element that was found, until `hasMissed` is called. */
function expectPointer(kind, found) {
  listenToPointer();
  if (expected?.isDown) unreleased = { ...expected, isAsked: true };
  expected = { kind, ...found, isHit: undefined, isDown: false, isAsked: false };
}

/**
 * Called for all events of the pointer before the page receives them. No event of a press that begins elsewhere reaches
 * the page, and the press does nothing.
 */
function onPointer(event) {
  if (!event.isTrusted) return;
  const { type } = event;
  if (type === 'pointerdown') unreleased = undefined;
  const press = (type !== 'pointermove' && unreleased) || expected;
  if (!press) return;
  if (press.kind === 'move') {
    if (type === 'pointermove') press.isHit = reaches(event, press);
    return;
  }
  if (type === 'pointerdown') {
    press.isHit ??= reaches(event, press);
    press.isDown = true;
  } else if (type === 'pointerup') {
    press.isDown = false;
    // The click follows in the same task.
    if (press.isAsked) setTimeout(() => endOf(press));
  }
  if (press.isHit !== false) return;
  event.stopImmediatePropagation();
  // Preventing `pointerdown` would also suppress `mousedown`, whose prevention is needed to keep the focus in place.
  if (type !== 'pointerdown') event.preventDefault();
}

/** Listens before the page does. `document.open()` removes all listeners; a second call has no effect otherwise. */
function listenToPointer() {
  for (const type of ['pointermove', ...PRESS_EVENTS]) addEventListener(type, onPointer, true);
}
listenToPointer();

/** True if an event is on the element, or on one with its role and name that has replaced it under the pointer. */
function reaches({ clientX: x, clientY: y }, { element, role, name }) {
  const hit = hitAt({ x, y });
  if (isConnected(element)) return receives(hit, element);
  for (let node = hit; node; node = flatParent(node)) {
    if (roleOf(node) === role && isSameName(labelOf(node, role), name)) return true;
  }
  return false;
}

function endOf(press) {
  if (expected === press) expected = undefined;
  if (unreleased === press) unreleased = undefined;
}

/** Returns `{ missed }`: true if the expected press or the last move went to another element. */
function hasMissed() {
  const press = expected;
  if (!press) return { missed: false };
  press.isAsked = true;
  if (!press.isDown) endOf(press);
  return { missed: press.isHit === false };
}
