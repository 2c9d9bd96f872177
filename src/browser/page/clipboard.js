// Copying by keys or by a page's command, and pasting by keys. Chromium has one clipboard for all sessions, so its
// content is never pasted. The server receives the copied text, stores it for the session, and inserts it only in the
// frame in which the keys for pasting were pressed.

/** The number of characters of a copy that are kept. */
const COPY_LIMIT = 1 << 20;

/** The copy in progress: `{ event, selected, data? }`. */
let copying;
/**
 * The code of the key that is awaited, if any. `pressed` is the event that came; it shows later whether the page's
 * handlers prevented it.
 */
let awaited;
let pressed;

/** Returns the selected text; empty for a password. */
function selectedText() {
  const field = focused();
  return field && localName(field) === 'input' && field.type === 'password' ? '' : String(getSelection());
}

/**
 * Runs before the page's handlers, any of which may stop the event, and reads the result after all of them have run.
 */
async function copyBegins(event) {
  if (!event.isTrusted) return;
  const copy = { event, selected: selectedText() };
  copying = copy;
  await nextTask();
  const text = event.defaultPrevented ? copy.data : copy.selected;
  if (text) globalThis.fumiCopied?.(text.slice(0, COPY_LIMIT));
}

/** Runs after the page's handlers: the data that a page has set can be read only during the event. */
function copyEnds(event) {
  if (copying?.event === event && event.defaultPrevented) copying.data = event.clipboardData.getData('text/plain');
}

/**
 * Ignores events that scripts create, and other keys: otherwise a page or a frame could request text that the session
 * copied elsewhere.
 */
function keyWentDown(event) {
  if (event.isTrusted && event.code === awaited) pressed = event;
}

/** Adds the listeners again, because `document.open()` removes them. Adding an existing listener has no effect. */
function listenToKeys() {
  for (const kind of ['copy', 'cut']) {
    addEventListener(kind, copyBegins, true);
    addEventListener(kind, copyEnds);
  }
  addEventListener('keydown', keyWentDown, true);
}
listenToKeys();

/** Starts waiting for the key with a code, whose default action is the server's: pasting, or reloading the page. */
function awaitKeys(code) {
  listenToKeys();
  pressed = undefined;
  awaited = code;
  return { awaited };
}

/**
 * Stops waiting. Returns `{ wanted }`: true if the keys went down in this frame and the page did not prevent the event.
 */
function keysCame() {
  awaited = undefined;
  return { wanted: Boolean(pressed) && !pressed.defaultPrevented };
}

/** Pastes at the focus. */
function paste(text) {
  pressed = undefined;
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true, composed: true, clipboardData });
  const target = focused() ?? documentBody(document) ?? document;
  if (dispatch(target, event)) runCommand(document, 'insertText', false, text);
  return { pasted: true };
}

/** Does what a browser does for keys that the page lets it have: `command` is `reload`, `back` or `forward`. */
function leave(command) {
  if (command === 'reload') location.reload();
  else history[command]();
  return { left: true };
}
