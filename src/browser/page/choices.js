// Lists of options that are no `<select>`: a combobox, or a button that opens a listbox (WAI-ARIA 1.2, "combobox"). They are
// opened and pressed as a person does it; here is looked up what to press.

/** Options named where the one that is wanted is missing. */
const OPTIONS_NAMED = 10;

/**
 * `{ kind, expanded }` of a field with options: "typed" takes a text too, "pressed" only opens, "open" is the list itself, "plain"
 * takes a text and has no options that could be pressed; `{ error: "not-select", role }`.
 */
function listKind(target) {
  return onField(target, (field) => {
    const role = roleOf(field);
    const name = localName(field);
    const takesText = isEditor(field) || name === 'textarea' || (name === 'input' && !NOT_TEXT.has(field.type));
    const opens = role === 'combobox' || attribute(field, 'aria-haspopup') === 'listbox';
    const kind =
      role === 'listbox' ? 'open' : !opens || field.list ? takesText && 'plain' : takesText && !field.readOnly ? 'typed' : 'pressed';
    if (!kind) return { error: 'not-select', role };
    const expanded = attribute(field, 'aria-expanded') === 'true';
    if (!expanded) shownBefore.set(field, new WeakSet(shownLists()));
    return { kind, expanded };
  }, takesKeys);
}

/** Field -> the lists that could be seen before it was opened, which belong to other fields. */
const shownBefore = new WeakMap();
const shownLists = () => everyRoot().flatMap((root) => query(root, '[role="listbox"]')).filter(isVisible);

/** Gives a field the focus. */
function focusOn(target) {
  return onField(target, (field) => {
    field.focus();
    return {};
  }, takesKeys);
}

/** The lists that a field names, else those that came when it was opened; of a field that was open already the only one. */
function listsOf(field) {
  const own = [...byIds(field, 'aria-controls'), ...byIds(field, 'aria-owns')];
  if (own.length) return own;
  if (roleOf(field) === 'listbox') return [field];
  const [before, shown] = [shownBefore.get(field), shownLists()];
  if (before) return shown.filter((list) => !before.has(list));
  return shown.length === 1 ? shown : [];
}

/** Its options, `{ option, name }`. */
const optionsOf = (lists) =>
  everyRoot()
    .flatMap((root) => query(root, '[role="option"]'))
    .filter((option) => isRendered(option) && lists.some((list) => within(option, list)))
    .map((option) => ({ option, name: nameOf(option, 'option') }));

const everyRoot = () => [document, ...shadowRoots()];

/**
 * Waits until a list has an option: `{ ref, name, chosen }` of what to press, or the `{ options, of }` that there are. Libraries that
 * draw a long list piece by piece give options without a box to assistive technology, and others beside them to the pointer.
 */
async function optionOf(target, value, patience) {
  const found = resolveElement(target);
  if (found.error) return found;
  const field = fieldOf(found.element);
  const wanted = tidy(value);
  const look = () => {
    const lists = listsOf(field);
    const options = optionsOf(lists);
    const byValue = options.filter(({ option }) => [option.value, attribute(option, 'data-value')].includes(value));
    const fitting = byValue.length ? byValue : exactly(options, wanted);
    const seen = fitting.find(({ option }) => isVisible(option));
    if (seen) return seen;
    const name = fitting.length ? fitting[0].name : wanted;
    const drawn = drawnBeside(lists, field, name);
    return drawn && { option: drawn, name };
  };
  const one = await until(look, patience);
  if (!one) {
    const likest = ({ name }) => (name.toLowerCase().includes(wanted.toLowerCase()) ? 0 : 1);
    const names = optionsOf(listsOf(field)).sort((a, b) => likest(a) - likest(b)).map(({ name }) => brief(name));
    return { ref: null, options: names.slice(0, OPTIONS_NAMED), of: names.length };
  }
  if (isDisabled(one.option)) return { error: 'disabled', option: brief(one.name) };
  const list = closest(one.option, '[aria-multiselectable="true"]');
  return { ref: refOf(one.option), name: brief(one.name), chosen: Boolean(list) && isSelected(one.option), options: [], of: 0 };
}

/** Those of this name; else those whose name differs in case only. */
function exactly(options, wanted) {
  const same = options.filter(({ name }) => name === wanted);
  return same.length ? same : options.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
}

/** What says a text beside a list: not further than its popup, and not in the field. */
function drawnBeside(lists, field, text) {
  const wanted = tidy(text).toLowerCase();
  if (!lists.length || !wanted) return undefined;
  const said = innermost(wanted).filter((element) => shownText(element) === wanted && isVisible(element));
  for (const list of lists) {
    let node = list;
    for (let steps = 0; steps < 3 && node && node !== documentBody(document) && !within(field, node); steps += 1) {
      const inside = said.find((element) => within(element, node) && !within(element, list));
      if (inside) return inside;
      node = flatParent(node);
    }
  }
  return undefined;
}

/** `{ now }` of a slider that is moved by keys, which has the focus then; `{}` of any other field. */
function slider(target) {
  return onField(target, (field) => {
    const now = attribute(field, 'aria-valuenow');
    if (localName(field) === 'input' || roleOf(field) !== 'slider' || now === null) return {};
    if (focused() !== field) field.focus();
    return { now: Number(now) };
  }, takesKeys);
}

/** How long a popup may take to open under the pointer or after what was typed, in milliseconds. */
const POPUP = 400;

/** `{ opened }`: whether a list or a menu of this element, or of the combobox around it, is open; one that is about to be is waited for. */
async function opened(target) {
  const found = resolveElement(target);
  if (found.error) return found;
  const { element } = found;
  const owner = hasAttribute(element, 'aria-expanded') ? element : closest(element, '[role="combobox"][aria-expanded]');
  // What else is expanded, such as an item of a tree, shows a part of the page.
  if (!owner || (roleOf(owner) !== 'combobox' && !hasAttribute(owner, 'aria-haspopup'))) return { opened: false };
  const isOpen = () => attribute(owner, 'aria-expanded') === 'true';
  return { opened: isOpen() || Boolean(await until(isOpen, POPUP)) };
}
