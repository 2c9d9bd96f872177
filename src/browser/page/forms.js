// Fills in forms as a person's input would: the native setter (a framework that watches its own setter notices the
// difference), then `input` and `change`.

/** The kinds of input whose value has a fixed format, each with an example. */
const FORMATS = {
  color: '#1a2b3c',
  date: '2026-01-31',
  'datetime-local': '2026-01-31T09:30',
  month: '2026-01',
  number: '12.5',
  range: '50',
  time: '09:30',
  week: '2026-W05',
};
const NOT_TEXT = new Set(['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit']);
const setters = [HTMLInputElement, HTMLTextAreaElement].map(
  (type) => Object.getOwnPropertyDescriptor(type.prototype, 'value').set,
);
const SHOWN_OPTIONS = 20;

const setValue = (field, value) => setters[localName(field) === 'input' ? 0 : 1].call(field, value);

/** Returns the field of an element: a label stands for its field, a wrapper for the one field inside it. */
function fieldOf(element) {
  if (localName(element) === 'label' && element.control) return element.control;
  if (isTyped(element)) return element;
  const inside = query(element, 'input, textarea, select, [contenteditable=""], [contenteditable="true"]');
  return inside.length === 1 ? inside[0] : element;
}

const isTyped = (element) => ['input', 'textarea', 'select'].includes(localName(element)) || isEditor(element);

/** True if the element keeps its text in a model of its own, which only keys and similar input reach. */
const isEditor = (element) => isEditable(element) || Boolean(element.editContext);

/**
 * True if the field can be focused, which is all that keys need: code editors receive them in a field without a size.
 */
const takesKeys = (field) => isRendered(field) && styleOf(field).visibility === 'visible';

/** Runs `act` on the field of a target, or returns the reason why the field cannot be used. */
function onField(target, act, isUsable = isVisible) {
  const found = resolveElement(target);
  if (found.error) return found;
  const field = fieldOf(found.element);
  if (!isUsable(field) && !(localName(field) === 'input' && field.type === 'file')) return { error: 'invisible' };
  if (isDisabled(field)) return { error: 'disabled' };
  noteActed(field);
  return act(field);
}

function announce(field, data) {
  dispatch(field, new InputEvent('input', { bubbles: true, composed: true, data, inputType: 'insertReplacementText' }));
  dispatch(field, new Event('change', { bubbles: true }));
}

/**
 * Replaces the content of a field. Returns `{ maxLength? }` (a limit that cut the value), `{ byKeys }` if the field
 * needs keys, or `{ error: "not-editable", role }`, `"readonly"`, `"disabled"`, `"invisible"`,
 * `{ error: "format", type, example, min?, max?, step? }`, or `{ error: "select" }` for a list of options. `isTold`:
 * popups that open are reported.
 */
function fill(target, value, isTold) {
  const into = (field) => {
    const name = localName(field);
    if (name === 'select') return { error: 'select' };
    const isField = name === 'textarea' || (name === 'input' && !NOT_TEXT.has(field.type));
    if (!isField && !isEditor(field)) return { error: 'not-editable', role: roleOf(field) };
    if (field.readOnly || attribute(field, 'aria-readonly') === 'true') return { error: 'readonly' };
    // Keys would depend on the locale in a field whose value has a fixed format, whether the field has a box or not.
    const isSet = isField && (isVisible(field) || FORMATS[field.type]);
    return isSet ? fillField(field, String(value), isTold) : { byKeys: true };
  };
  return onField(target, into, takesKeys);
}

function fillField(field, given, isTold) {
  const type = localName(field) === 'textarea' ? 'textarea' : field.type;
  const example = FORMATS[type];
  const value = example ? given.trim() : atMost(field, given);
  const before = field.value;
  watchPopups(field, isTold);
  field.focus({ preventScroll: true });
  if (!isConnected(field)) {
    // The page has replaced the field when it got the focus.
    const other = focused();
    const isField = other && other !== field && typedKind(other);
    return isField ? fill(other, given, isTold) : { error: 'stale', was: roleOf(field), nearest: [] };
  }
  setValue(field, type === 'color' ? value.toLowerCase() : value);
  if (example && !kept(field, value, type)) {
    setValue(field, before);
    const limits = ['min', 'max', 'step']
      .filter((limit) => attribute(field, limit))
      .map((limit) => [limit, brief(attribute(field, limit))]);
    return { error: 'format', type, given: value, example, ...Object.fromEntries(limits) };
  }
  announce(field, field.value);
  return !example && atMost(field, given) !== given ? { maxLength: field.maxLength } : {};
}

/** Cuts a value to `maxlength`, which a person cannot exceed either but the setter ignores. */
function atMost(field, value) {
  return field.maxLength >= 0 ? value.slice(0, field.maxLength) : value;
}

/** True if the browser accepted the value: it empties, clamps or rounds a value of the wrong format. */
function kept(field, value, type) {
  if (type === 'number' || type === 'range')
    return value === '' ? type === 'number' : Number(field.value) === Number(value);
  return field.value === (type === 'color' ? value.toLowerCase() : value);
}

/** The longest time that a code editor may take to draw new text, in milliseconds. */
const DRAWING = 200;

/**
 * Returns `{ holds }`, the content of a field if it is not the given value, or else `{}`: also for a password, and for
 * a field whose content cannot be read. A text that was `typed` after other content only has to be part of it.
 */
async function heldIn(target, given, typed) {
  const found = resolveElement(target);
  if (found.error) return found;
  const field = fieldOf(found.element);
  const isSeen = isVisible(field);
  if (isPassword(field) || (field.editContext && isSeen)) return {};
  if (!isSeen && (localName(field) === 'textarea' || field.editContext)) return drawnIn(field, given, typed);
  // A widget may move the text out of a field that is not visible.
  if (!isSeen && !textIn(field)) return {};
  const isField = localName(field) === 'input' || localName(field) === 'textarea';
  const held = tidy(textIn(field) ?? given);
  const wanted = tidy(given);
  // `09` for 9 and December for 12 in a field for numbers, `#AABBCC` for #aabbcc.
  const isForNumbers = ['spinbutton', 'slider'].includes(roleOf(field));
  const isNumber = (text) => isForNumbers && wanted !== '' && Boolean(text) && Number(text) === Number(wanted);
  const isColor = isField && field.type === 'color';
  const isSame =
    held === (isColor ? wanted.toLowerCase() : wanted) || isNumber(held) || isNumber(attribute(field, 'aria-valuenow'));
  const isAdded = (isSame || held.includes(wanted)) && (wanted === '' || held !== typedInto.get(field));
  // In a field of one line, a line break that is inserted becomes a space, and one that is set is removed.
  const isJoined = localName(field) === 'input' && /[\r\n]/.test(given.trim());
  return (typed ? isAdded : isSame && !isJoined) ? {} : { holds: clip(held, NAME_LIMIT) };
}

/** Field -> the text that was drawn around it before keys were typed into it. */
const drawnBefore = new WeakMap();

/**
 * Works as `heldIn`, for a code editor whose field has no box. An editor draws only the lines that are on the screen, and a
 * terminal keeps earlier text, so the text that was drawn since the typing began is compared too.
 */
async function drawnIn(field, given, typed) {
  const squeezed = (text) => text.replace(/\s+/g, '');
  const wanted = squeezed(given);
  const isDrawn = () => {
    const drawn = drawnBy(field);
    const held = squeezed(drawn ?? given);
    const isNew = wanted !== '' && addedTo(squeezed(drawnBefore.get(field) ?? held), held).includes(wanted);
    return wanted === held || (held !== '' && wanted.includes(held)) || (typed && held.includes(wanted)) || isNew;
  };
  return (await until(isDrawn, DRAWING)) ? {} : { holds: clip(tidy(drawnBy(field) ?? ''), NAME_LIMIT) };
}

/** Returns the middle part of a text that it did not have before. */
function addedTo(before, text) {
  const shorter = Math.min(before.length, text.length);
  let head = 0;
  while (head < shorter && before[head] === text[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === text.at(-1 - tail)) tail += 1;
  return text.slice(head, text.length - tail);
}

/** Returns the content of a field as text; undefined for an element without a text. */
function textIn(field) {
  if (localName(field) === 'input' || localName(field) === 'textarea') return field.value;
  return isEditable(field) ? readableText(field) : undefined;
}

/** Field -> its content before keys were typed into it. */
const typedInto = new WeakMap();

function selectAll(field) {
  if (localName(field) === 'input' || localName(field) === 'textarea') return field.select();
  const range = createRange(document);
  range.selectNodeContents(field);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  return undefined;
}

/**
 * Chooses options by value, label or text, or by position (`#2` is the second). Returns `{ selected: [label...] }`, or
 * `{ error: "options", missing, options, of }`, `{ error: "not-select", role }` or `{ error: "single" }`.
 */
function choose(target, values) {
  return onField(target, (field) => {
    if (localName(field) !== 'select') return { error: 'not-select', role: roleOf(field) };
    const wanted = (Array.isArray(values) ? values : [values]).map(String);
    if (wanted.length > 1 && !field.multiple) return { error: 'single' };
    const options = [...field.options];
    const found = wanted.map((value) => optionFor(options, value));
    const missing = wanted.filter((_, index) => !found[index]);
    if (missing.length) {
      const labels = options.slice(0, SHOWN_OPTIONS).map((option) => brief(option.label));
      return { error: 'options', missing, options: labels, of: options.length };
    }
    const off = found.find((option) => option.disabled || matches(option, 'optgroup:disabled > option'));
    if (off) return { error: 'disabled', option: brief(off.label) };
    field.focus({ preventScroll: true });
    for (const option of options) option.selected = found.includes(option);
    dispatch(field, new Event('input', { bubbles: true, composed: true }));
    dispatch(field, new Event('change', { bubbles: true }));
    return { selected: [...field.selectedOptions].map((option) => brief(option.label)) };
  });
}

function optionFor(options, wanted) {
  const text = tidy(wanted);
  const byIndex = /^#(\d+)$/.exec(text);
  return (
    options.find((option) => option.value === wanted) ??
    options.find((option) => tidy(option.label) === text) ??
    options.find((option) => tidy(option.label).toLowerCase() === text.toLowerCase()) ??
    (byIndex ? options[Number(byIndex[1]) - 1] : undefined)
  );
}

/**
 * Returns the action that checks a box (or unchecks it): `{ ref, mixed, click }`; `click` is true if it must be
 * pressed, `mixed` if it is neither on nor off. Otherwise returns `{ error: "not-checkable", role }`, or
 * `{ error: "radio" }` if a radio button should be switched off. Waits at most `patience` milliseconds for the wanted
 * state: some libraries set it in a task of its own.
 */
async function check(target, wanted, patience) {
  const read = () =>
    onCheckable(target, (box, role) => {
      const checked = checkedState(box, role);
      if (!wanted && checked === true && role === 'radio') return { error: 'radio' };
      return { ref: refOf(box), mixed: checked === 'mixed', click: checked !== wanted };
    });
  if (patience > 0) await until(() => !read().click, patience);
  return read();
}

function onCheckable(target, act) {
  const found = resolveElement(target);
  if (found.error) return found;
  const inside = localName(found.element) === 'label' && found.element.control ? found.element.control : found.element;
  const role = roleOf(inside);
  if (!CHECKABLE.has(role) || localName(inside) === 'option') return { error: 'not-checkable', role };
  return isDisabled(inside) ? { error: 'disabled' } : act(inside, role);
}
