// What drags do in this frame: whether one began, and whether something here wants what is dragged.

const drag = { started: null, over: null, native: false };
let isWatched = false;

/** Forgets what was seen and looks from now on. The events themselves say later what the page's handlers did to them. */
function watchDrags() {
  drag.started = null;
  drag.over = null;
  if (!isWatched) {
    isWatched = true;
    addEventListener('dragstart', (event) => { drag.started = event; }, true);
    addEventListener('dragover', (event) => {
      drag.over = event;
      // What an event carries can be read only while it is on its way.
      drag.native = takesDrops(event.composedPath()[0], [...event.dataTransfer.types]);
    }, true);
  }
  return { watched: true };
}

/** `{ started }`: a drag began and the page did not prevent it. `{ wanted }`: what is under it now would take it. */
function seenDrags() {
  const { started, over, native } = drag;
  return { started: Boolean(started) && !started.defaultPrevented, wanted: Boolean(over) && (over.defaultPrevented || native) };
}

/** Some libraries ask every 50 ms what is under the pointer; their timers pass before this one. */
function rest(milliseconds) {
  return new Promise((done) => setTimeout(() => done({ rested: true }), milliseconds));
}

/** The browser itself puts texts into fields that can be edited, and files into file fields. */
function takesDrops(target, types) {
  if (!isElement(target)) return false;
  const field = localName(target) === 'label' && target.control ? target.control : target;
  if (types.includes('Files')) return localName(field) === 'input' && field.type === 'file';
  return typedKind(field) !== undefined && !field.readOnly && !isDisabled(field);
}
