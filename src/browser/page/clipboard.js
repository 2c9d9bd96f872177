// Copying and pasting by keys. Chromium has one clipboard for all sessions: so it is never pasted from. What is copied here is told to
// the server, which keeps it for its session and gives it back for pasting.

/** Characters of a copy that are kept. */
const COPY_LIMIT = 1 << 20;

/** What was copied last and is not told yet: `{ text, at }`, in milliseconds since 1970. */
let copied;
/** The last key that went down since keys are watched. The event itself says later what the page's handlers did to it. */
let pressed;
let keysAreWatched = false;

function keepCopy(text) {
  if (text) copied = { text: text.slice(0, COPY_LIMIT), at: Date.now() };
}

/** The innermost element with the focus. */
function focused() {
  let element = documentFocus(document);
  for (let root; element && (root = shadowRoot(element)) && fragmentFocus(root); ) element = fragmentFocus(root);
  return element;
}

/** What is selected; never of a password. */
function selectedText() {
  const field = focused();
  return field && localName(field) === 'input' && field.type === 'password' ? '' : String(getSelection());
}

for (const kind of ['copy', 'cut']) {
  // Before the page's handlers, any of which may keep the event from going on.
  addEventListener(kind, (event) => { if (event.isTrusted) keepCopy(selectedText()); }, true);
  // After them: one may have set what is copied instead.
  addEventListener(kind, (event) => {
    if (event.isTrusted && event.defaultPrevented) keepCopy(event.clipboardData.getData('text/plain'));
  });
}

/** `{ copied }`, if something was since the last time; else nothing. */
function takeCopied() {
  const news = copied && { copied };
  copied = undefined;
  return news;
}

/** Looks at keys from now on. */
function watchKeys() {
  pressed = undefined;
  if (!keysAreWatched) {
    keysAreWatched = true;
    addEventListener('keydown', (event) => { pressed = event; }, true);
  }
  return { ...takeCopied() };
}

/** Pastes where the focus is, if the last key went down in this frame and the page did not take it for itself: `{ pasted }`. */
function paste(text) {
  const key = pressed;
  pressed = undefined;
  if (!key || key.defaultPrevented) return { pasted: false };
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true, composed: true, clipboardData });
  if (dispatch(focused() ?? document, event)) runCommand(document, 'insertText', false, text);
  return { pasted: true };
}
