// Copying, by keys or by a page's command, and pasting by keys. Chromium has one clipboard for all sessions: so it is never pasted
// from. What is copied here is told to the server, which keeps it for its session and gives it back to the one frame in which the keys
// for pasting went down.

/** Characters of a copy that are kept. */
const COPY_LIMIT = 1 << 20;

/** The copy that goes on just now: `{ event, selected, data? }`. */
let copying;
/** Whether keys for pasting are waited for, and the one that came. The event itself says later what the page's handlers did to it. */
let isAwaited = false;
let pressed;

/** What is selected; never of a password. */
function selectedText() {
  const field = focused();
  return field && localName(field) === 'input' && field.type === 'password' ? '' : String(getSelection());
}

/** Before the page's handlers: any of them may keep the event from going on. What comes of it shows when all of them are done. */
async function copyBegins(event) {
  if (!event.isTrusted) return;
  const copy = { event, selected: selectedText() };
  copying = copy;
  await nextTask();
  const text = event.defaultPrevented ? copy.data : copy.selected;
  if (text) globalThis.fumiCopied?.(text.slice(0, COPY_LIMIT));
}

/** After them: what a page has set can be read only while the event is on its way. */
function copyEnds(event) {
  if (copying?.event === event && event.defaultPrevented) copying.data = event.clipboardData.getData('text/plain');
}

/** What scripts make up, and other keys, are not waited for: a page or a frame could ask for what the session copied elsewhere. */
function keyWentDown(event) {
  if (isAwaited && event.isTrusted && (event.code === 'KeyV' || event.code === 'Insert')) pressed = event;
}

/** `document.open()` takes listeners away; those that are there stay as they are. */
function listenToKeys() {
  for (const kind of ['copy', 'cut']) {
    addEventListener(kind, copyBegins, true);
    addEventListener(kind, copyEnds);
  }
  addEventListener('keydown', keyWentDown, true);
}
listenToKeys();

/** Waits for keys for pasting from now on. */
function awaitKeys() {
  listenToKeys();
  pressed = undefined;
  isAwaited = true;
  return { awaited: true };
}

/** Waits no more: `{ wanted }`, whether they went down in this frame and the page did not take them for itself. */
function keysCame() {
  isAwaited = false;
  return { wanted: Boolean(pressed) && !pressed.defaultPrevented };
}

/** Pastes where the focus is. */
function paste(text) {
  pressed = undefined;
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true, composed: true, clipboardData });
  const target = focused() ?? documentBody(document) ?? document;
  if (dispatch(target, event)) runCommand(document, 'insertText', false, text);
  return { pasted: true };
}
