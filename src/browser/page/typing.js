// Before keys or text come: the focus, the caret, and what kind of field it is.

/** Roles of things that take text though they are neither a field nor editable, such as a canvas that listens to keys, have no kind. */
function typedKind(field) {
  const name = localName(field);
  if (name === 'textarea') return 'text';
  if (name === 'input') return NOT_TEXT.has(field.type) ? undefined : FORMATS[field.type] ? 'formatted' : 'text';
  return isEditor(field) ? 'text' : undefined;
}

/**
 * Gives a field the focus: `{ kind: "text" | "formatted", limit?, byKeys? }`. With `replace` all that it holds is selected, or has to
 * be by keys (`byKeys`); else the caret stands at its end, and what takes no text can be given keys only. `isTold`: somebody is told
 * of popups.
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
    // Some get ready for input only in a timer that they set when they get the focus; ours is set after theirs.
    if (isNew && isEditor(field)) await rest(1);
    // A script selects nothing in a text that is drawn elsewhere.
    const byKeys = kind === 'text' && replace && (!isVisible(field) || Boolean(field.editContext));
    if (kind === 'text' && replace && !byKeys) selectAll(field);
    else if (kind === 'text' && !replace) caretToEnd(field);
    const limit = kind === 'text' && field.maxLength >= 0 && { limit: limitOf(field, replace) };
    return { kind: kind ?? 'text', byKeys, ...limit };
  }, takesKeys);
}

/** What `maxlength` leaves for what is typed. */
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
    // Addresses of e-mail have no caret to set.
  }
}

/** Chooses an option of a `<select>` that was named itself: `{ option: false }` if it is something else. */
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
