// Records the drags in this frame: whether one began, and whether an element accepts the dragged data.

const drag = { started: null, over: null, native: false };
let isWatched = false;

/** Starts a new record. The events themselves show later whether the page's handlers prevented them. */
function watchDrags() {
  drag.started = null;
  drag.over = null;
  if (!isWatched) {
    isWatched = true;
    addEventListener('dragstart', (event) => { drag.started = event; }, true);
    addEventListener('dragover', (event) => {
      drag.over = event;
      // The data of an event can be read only during the event.
      drag.native = takesDrops(event.composedPath()[0], typesOf(event));
    }, true);
    // After the page's own handlers, which may ask whether the drop was prevented. Chromium opens files and links that the page
    // leaves alone.
    addEventListener('drop', (event) => {
      if (event.isTrusted && !takesDrops(event.composedPath()[0], typesOf(event))) event.preventDefault();
    });
  }
  return { watched: true };
}

/**
 * Returns `{ started }`: a drag began and the page did not prevent it; and `{ wanted }`: the element below it would
 * accept it.
 */
function seenDrags() {
  const { started, over, native } = drag;
  return { started: Boolean(started) && !started.defaultPrevented, wanted: Boolean(over) && (over.defaultPrevented || native) };
}

/** Waits. Some libraries poll the element below the pointer every 50 ms; their timers run before this one. */
function rest(milliseconds) {
  return new Promise((done) => setTimeout(() => done({ rested: true }), milliseconds));
}

/** Returns the types of the dragged data; an event that a script made may have none. */
function typesOf(event) {
  return [...(event.dataTransfer?.types ?? [])];
}

/** True if the browser itself would take the drop: texts for editable fields, files for file fields. */
function takesDrops(target, types) {
  if (!isElement(target)) return false;
  const field = localName(target) === 'label' && target.control ? target.control : target;
  if (types.includes('Files')) return localName(field) === 'input' && field.type === 'file';
  return typedKind(field) !== undefined && !field.readOnly && !isDisabled(field);
}
