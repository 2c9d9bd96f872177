// Prepares a field for keys or text: the focus, the caret, and the kind of the field.

/**
 * Returns the kind of a field. An element that takes keys but is neither a field nor editable, such as a canvas, has no
 * kind.
 */
function typedKind(field) {
  const name = localName(field);
  if (name === 'textarea') return 'text';
  if (name === 'input') return NOT_TEXT.has(field.type) ? undefined : FORMATS[field.type] ? 'formatted' : 'text';
  return isEditor(field) ? 'text' : undefined;
}

/**
 * Focuses a field: `{ kind: "text" | "formatted", limit?, byKeys? }`. With `replace`, its content is selected, or must
 * be selected with keys (`byKeys`); otherwise the caret is set to its end, and an element that takes no text can only
 * receive keys. `isTold`: popups that open are reported.
 */
function beginTyping(target, { replace, isTold }) {
  return onField(target, async (field) => {
    watchPopups(field, isTold);
    const kind = typedKind(field);
    if (!kind && replace) {
      return localName(field) === 'select' ? { error: 'select' } : { error: 'not-editable', role: roleOf(field) };
    }
    if (kind && (field.readOnly || attribute(field, 'aria-readonly') === 'true')) return { error: 'readonly' };
    if (!replace && kind) typedInto.set(field, tidy(textIn(field) ?? ''));
    if (kind && !isVisible(field)) drawnBefore.set(field, drawnBy(field) ?? '');
    const isNew = focused() !== field;
    field.focus();
    // Some editors become ready for input only in a timer that they set when they get the focus; ours is set after
    // theirs.
    if (isNew && isEditor(field)) await rest(1);
    // A script cannot select text that is drawn elsewhere.
    const byKeys = kind === 'text' && replace && (!isVisible(field) || Boolean(field.editContext));
    if (kind === 'text' && replace && !byKeys) selectAll(field);
    else if (kind === 'text' && !replace) caretToEnd(field);
    const limit = kind === 'text' && field.maxLength >= 0 && { limit: limitOf(field, replace) };
    return { kind: kind ?? 'text', byKeys, ...limit };
  }, takesKeys);
}

/** Returns the length that `maxlength` leaves for typed text. */
function limitOf(field, replace) {
  const left = field.maxLength - (replace ? 0 : field.value.length);
  return { maxLength: field.maxLength, room: Math.max(0, left), multiline: localName(field) === 'textarea' };
}

function caretToEnd(field) {
  if (isEditable(field)) {
    selectAll(field);
    getSelection().collapseToEnd();
    return;
  }
  try {
    field.setSelectionRange(field.value.length, field.value.length);
  } catch {
    // A field for an e-mail address has no caret to set.
  }
}

/**
 * Chooses an option of a `<select>` that the caller named directly. Returns `{ option: false }` for any other element.
 */
function chooseOption(target) {
  const found = resolveElement(target);
  if (found.error) return found;
  const option = found.element;
  const list = localName(option) === 'option' ? closest(option, 'select') : null;
  if (!list) return { option: false };
  if (isDisabled(list) || option.disabled || matches(option, 'optgroup:disabled > option')) return { error: 'disabled' };
  list.focus({ preventScroll: true });
  option.selected = list.multiple ? !option.selected : true;
  dispatch(list, new Event('input', { bubbles: true, composed: true }));
  dispatch(list, new Event('change', { bubbles: true }));
  return { option: true };
}
