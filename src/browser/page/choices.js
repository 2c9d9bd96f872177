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

/** Frames that a list may take to open, to draw its options and to begin its animation, however slow the machine is. */
const OPENING_FRAMES = 12;
const BEGINNING_FRAMES = 2;
/** A page that draws slowly is waited for so many times as long. */
const SLOWNESS = 4;

/** `until`, but a page that draws slowly has more time, until it has drawn `OPENING_FRAMES`. */
async function untilDrawn(test, patience) {
  let frames = 0;
  const end = performance.now() + patience * SLOWNESS;
  const count = async () => {
    while (frames < OPENING_FRAMES && performance.now() < end && (await drawnFrame())) frames += 1;
  };
  const counting = patience > 0 && count();
  let result = await until(test, patience);
  while (!result && patience > 0 && frames < OPENING_FRAMES && performance.now() < end && !documentIsHidden(document)) {
    await nextFrame();
    result = test();
  }
  frames = OPENING_FRAMES;
  await counting;
  return result;
}

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
  let one = await untilDrawn(look, patience);
  // A list is placed a frame or two before it begins to slide or fade in.
  for (let frames = 0; one && patience > 0 && frames < BEGINNING_FRAMES; frames += 1) await drawnFrame();
  one = one && (look() ?? one);
  if (!one) {
    const likest = ({ name }) => (name.toLowerCase().includes(wanted.toLowerCase()) ? 0 : 1);
    const names = optionsOf(listsOf(field)).sort((a, b) => likest(a) - likest(b)).map(({ name }) => brief(name));
    return { ref: null, options: names.slice(0, OPTIONS_NAMED), of: names.length };
  }
  if (isDisabled(one.option)) return { error: 'disabled', option: brief(one.name) };
  const list = closest(one.option, '[aria-multiselectable="true"]');
  const chosen = Boolean(list) && isSelected(one.option);
  if (!chosen) watchPress(field, one);
  return { ref: refOf(one.option), name: brief(one.name), chosen, options: [], of: 0 };
}

/**
 * `{ option, name, popups, showed, shown, told, isHit, stop }` of the option that is pressed next: what was shown before, and where the
 * press went.
 */
let pressing;

/** Notes where the next press goes. */
function watchPress(field, { option, name }) {
  pressing?.stop.abort();
  const stop = new AbortController();
  const wanted = tidy(name).toLowerCase();
  const popups = listsOf(field).flatMap((list) => [list, ...aroundList(list, field)]);
  const before = { showed: showsOption(field, wanted), shown: shownBy(field), told: toldOutside(popups, wanted) };
  pressing = { option, name, popups, ...before, isHit: undefined, stop };
  const note = (event) => {
    const isIt = (node) => node === option || (node instanceof Element && shownText(node) === wanted);
    const isOn = event.composedPath().some(isIt);
    // A list may close while the button is still down.
    pressing.isHit = event.type === 'pointerdown' ? isOn : pressing.isHit && (isOn || !isVisible(option));
  };
  for (const type of ['pointerdown', 'click']) addEventListener(type, note, { capture: true, signal: stop.signal });
}

/**
 * What became of the press on an option: `{ chosen, missed, holds }`. It is chosen if its field shows it, if it is marked as selected,
 * or if the press met it and the field, or the page outside the list, shows something new. `missed`: the press met something else.
 */
async function chosenIn(target, patience) {
  const found = resolveElement(target);
  if (found.error) return found;
  if (!pressing) return { chosen: true };
  const field = fieldOf(found.element);
  const { option, name, popups, showed, shown, told, stop } = pressing;
  const wanted = tidy(name).toLowerCase();
  const isChosen = () => {
    const isMissed = pressing.isHit === false;
    // What was only typed stands there already; what another option shows may contain this one's name.
    if (roleOf(field) !== 'listbox' && !(isMissed && showed) && showsOption(field, wanted, isMissed)) return true;
    if (isMissed) return false;
    const isMarked = (one) => isSelected(one) || attribute(one, 'aria-checked') === 'true';
    const options = optionsOf(listsOf(field));
    const marked = options.filter((one) => isMarked(one.option));
    if (marked.some((one) => tidy(one.name).toLowerCase() === wanted) || (isConnected(option) && isMarked(option))) return true;
    // Its options are marked by their looks only.
    if (roleOf(field) === 'listbox') return !options.some((one) => hasAttribute(one.option, 'aria-selected'));
    return shownBy(field) !== shown || toldOutside(popups, wanted) > told;
  };
  const chosen = Boolean(await untilDrawn(isChosen, patience));
  stop.abort();
  return chosen ? { chosen } : { chosen, missed: pressing.isHit === false, holds: brief(shownBy(field)) };
}

/** A field shows an option in itself or, as an element of its own, in the control around it. */
function showsOption(field, wanted, isExact = false) {
  const own = tidy(textIn(field) ?? textContent(field)).toLowerCase();
  if (wanted && (isExact ? own === wanted : own.includes(wanted))) return true;
  const control = controlAround(field);
  const isIt = (element) => shownText(element) === wanted && isVisible(element);
  return [control, ...query(control, '*')].some(isIt);
}

/** What a field shows, as a text: what stands in it, else what stands in the control around it. */
const shownBy = (field) => tidy(textIn(field) ?? '') || tidy(readableText(controlAround(field)));

/** What surrounds a field in one line, without its list and without other fields. */
function controlAround(field) {
  const highest = 3 * Math.max(boundingBox(field).height, 24);
  const isOther = (other) => other !== field && !within(other, field) && isVisible(other) && !isExcluded(other);
  let control = field;
  for (let steps = 0; steps < 4; steps += 1) {
    const around = flatParent(control);
    if (!around || around === documentBody(document) || boundingBox(around).height > highest) break;
    if (query(around, LISTS).length || query(around, 'input, textarea, select, [role="combobox"]').some(isOther)) break;
    control = around;
  }
  return control;
}

/** How many visible texts outside the lists say this. */
function toldOutside(popups, wanted) {
  let count = 0;
  for (const root of everyRoot()) {
    const texts = textWalker(document, root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      if (tidy(nodeValue(node)).toLowerCase() !== wanted) continue;
      const parent = flatParent(node);
      if (parent && isVisible(parent) && !popups.some((popup) => within(parent, popup))) count += 1;
    }
  }
  return count;
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
    for (const node of [list, ...aroundList(list, field)]) {
      const inside = said.find((element) => within(element, node) && !within(element, list));
      if (inside) return inside;
    }
  }
  return undefined;
}

/** What is around a list without its field: at most as far as a popup goes. */
function aroundList(list, field) {
  const around = [];
  let node = flatParent(list);
  for (let steps = 0; steps < 2 && node && node !== documentBody(document) && !within(field, node); steps += 1) {
    around.push(node);
    node = flatParent(node);
  }
  return around;
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
