// Lists of options that are not a `<select>`: a combobox, or a button that opens a listbox (WAI-ARIA 1.2, "combobox").
// The server opens them and presses options as a person does; this file finds the element to press.

/** The number of options that an error lists if the requested one is missing. */
const OPTIONS_NAMED = 10;

/**
 * Returns `{ kind, expanded }` of a field with options: "typed" also takes text, "pressed" only opens its list, "open"
 * is the list itself, "plain" takes text and has no options that can be pressed. Otherwise returns
 * `{ error: "not-select", role }`.
 */
function listKind(target) {
  return onField(target, (field) => {
    const role = roleOf(field);
    // The text field of a list may be inside the combobox.
    const isCombobox = role === 'combobox' || closest(field, '[role="combobox"]');
    const opens = isCombobox || ['listbox', 'tree', 'grid'].includes(attribute(field, 'aria-haspopup'));
    const kind =
      role === 'listbox' ? 'open' : !opens || field.list ? hasText(field) && 'plain' : takesText(field) ? 'typed' : 'pressed';
    if (!kind) return { error: 'not-select', role };
    const expanded = attribute(field, 'aria-expanded') === 'true';
    if (!expanded) shownBefore.set(field, new WeakSet(shownLists()));
    return { kind, expanded };
  }, takesKeys);
}

/** True for a field that contains a text, and for one whose text can be changed. */
const hasText = (field) =>
  isEditor(field) || localName(field) === 'textarea' || (localName(field) === 'input' && !NOT_TEXT.has(field.type));
const takesText = (field) => hasText(field) && !field.readOnly;

/** Field -> the lists that were visible before it was opened; they belong to other fields. */
const shownBefore = new WeakMap();
const shownLists = () => everyRoot().flatMap((root) => query(root, OPTION_LISTS)).filter(isVisible);
/** The lists that a combobox opens, and their options: also those of tree, cascading and grid lists. */
const OPTION_LISTS = '[role="listbox"], [role="tree"], [role="grid"], [role="menu"]';
const OPTIONS = '[role="option"], [role="treeitem"], [role="gridcell"], [role="menuitemcheckbox"], [role="menuitemradio"]';

/** Focuses a field. */
function focusOn(target) {
  return onField(target, (field) => {
    field.focus();
    return {};
  }, takesKeys);
}

/**
 * Returns the lists that a field names, or else those that appeared when it was opened, or else, for a field that was
 * already open, the only visible list.
 */
function listsOf(field) {
  const own = [...byIds(field, 'aria-controls'), ...byIds(field, 'aria-owns')];
  if (own.length) return own;
  if (roleOf(field) === 'listbox') return [field];
  const [before, shown] = [shownBefore.get(field), shownLists()];
  if (before) return shown.filter((list) => !before.has(list));
  return shown.length === 1 ? shown : [];
}

/** Returns the options of lists as `{ option, name }`. */
const optionsOf = (lists) =>
  everyRoot()
    .flatMap((root) => query(root, OPTIONS))
    .filter((option) => isRendered(option) && lists.some((list) => within(option, list)))
    .map((option) => ({ option, name: nameOf(option) }));

const everyRoot = () => [document, ...shadowRoots()];

/**
 * The number of frames that a list may take to open, to draw its options and to begin its animation, however slow the
 * machine is.
 */
const OPENING_FRAMES = 12;
const BEGINNING_FRAMES = 2;
/** The factor by which the timeout is extended for a page that draws slowly. */
const SLOWNESS = 4;

/** Works as `until`, but gives a page that draws slowly more time, until it has drawn `OPENING_FRAMES` frames. */
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
 * Waits until a list has an option. Returns `{ ref, name, chosen }` of the element to press, or else the existing
 * options, `{ options, of }`. Libraries that draw a long list piece by piece show options without a box to assistive
 * technology, and draw others beside them for the pointer.
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
    const part = fitting.length ? undefined : namedPart(options, wanted);
    if (part) return { option: part, name: wanted };
    const name = fitting.length ? fitting[0].name : wanted;
    const drawn = drawnBeside(lists, field, name);
    return drawn && { option: drawn, name };
  };
  let one = await untilDrawn(look, patience);
  if (!one && patience > 0 && isLoading(field)) {
    await until(() => !isLoading(field), LONGEST_LOAD);
    one = await untilDrawn(look, patience);
  }
  if (!one && patience > 0) one = await scrolledTo(field, look);
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
  if (!chosen) noteOption(field, one);
  return { ref: refOf(one.option), name: brief(one.name), chosen, options: [], of: 0 };
}

/** The option that is pressed next, with the state before the press: `{ option, name, popups, shown, told }`. */
let pressing;

/** Records the state before an option is pressed. */
function noteOption(field, { option, name }) {
  const popups = listsOf(field).flatMap((list) => [list, ...aroundList(list, field)]);
  pressing = { option, name, popups, shown: shownBy(field), told: toldOutside(popups, tidy(name).toLowerCase()) };
}

/**
 * Returns the result of the press on an option: `{ chosen, holds }`. The option is chosen if its field shows it, if it
 * is marked as selected, or if the field, or the page outside the list, shows something new.
 */
async function chosenIn(target, patience) {
  const found = resolveElement(target);
  if (found.error) return found;
  if (!pressing) return { chosen: true };
  const field = fieldOf(found.element);
  const { option, name, popups, shown, told } = pressing;
  const wanted = tidy(name).toLowerCase();
  const isChosen = () => {
    if (roleOf(field) !== 'listbox' && showsOption(field, wanted)) return true;
    const isMarked = (one) => isSelected(one) || attribute(one, 'aria-checked') === 'true';
    const options = optionsOf(listsOf(field));
    const marked = options.filter((one) => isMarked(one.option));
    if (marked.some((one) => tidy(one.name).toLowerCase() === wanted) || (isConnected(option) && isMarked(option))) return true;
    // The options of this list are marked by their looks only.
    if (roleOf(field) === 'listbox') return !options.some((one) => hasAttribute(one.option, 'aria-selected'));
    return shownBy(field) !== shown || toldOutside(popups, wanted) > told;
  };
  const chosen = Boolean(await untilDrawn(isChosen, patience));
  return chosen ? { chosen } : { chosen, holds: brief(shownBy(field)) };
}

/** True if the field itself shows the option, or an element in the control around it does. */
function showsOption(field, wanted) {
  const own = tidy(textIn(field) ?? textContent(field)).toLowerCase();
  if (wanted && own.includes(wanted)) return true;
  const control = controlAround(field);
  const isIt = (element) => shownText(element) === wanted && isVisible(element);
  return [control, ...query(control, '*')].some(isIt);
}

/** Returns the text that a field shows: its own content, or else that of the control around it. */
const shownBy = (field) => tidy(textIn(field) ?? '') || tidy(readableText(controlAround(field)));

/** Returns the largest ancestor of a field that is one line high and contains neither its list nor another field. */
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

/** Returns the number of visible texts outside the lists that equal `wanted`. */
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

/**
 * Returns the part of an option that shows this text: the name of an item in a tree also contains that of its box or of
 * its arrow.
 */
function namedPart(options, wanted) {
  const isIt = (part) => shownText(part) === wanted.toLowerCase() && isVisible(part);
  const items = options.filter(({ option }) => roleOf(option) !== 'option');
  return wanted && items.flatMap(({ option }) => query(option, '*')).findLast(isIt);
}

/** The longest wait for a list that says that it loads its options, in milliseconds. */
const LONGEST_LOAD = 5_000;
const LOADING = /^(?:loading|searching|fetching|please wait|読み込み中|読込中|検索中|ロード中)/i;

/** True if a list of this field is open and shows nothing but that its options are on the way. */
function isLoading(field) {
  const lists = listsOf(field).filter(isVisible);
  const isBusy = (list) =>
    attribute(list, 'aria-busy') === 'true' || query(list, '[aria-busy="true"], [role="progressbar"]').some(isVisible);
  return optionsOf(lists).length <= 1 && lists.some((list) => isBusy(list) || LOADING.test(tidy(textContent(list))));
}

/**
 * The longest search through a list by scrolling, in milliseconds, also for a field whose text narrows its list, and the
 * share of the list's height that one step scrolls.
 */
const LONGEST_SEARCH = 4_000;
const LONGEST_TYPED_SEARCH = 1_500;
const SCROLL_SHARE = 0.9;
/** The number of steps after which a list that still draws the same is not searched further. */
const SAME_STEPS = 3;

/** Scrolls through the lists of a field, which may draw only the options on the screen, until `look` finds the option. */
async function scrolledTo(field, look) {
  const end = performance.now() + (takesText(field) ? LONGEST_TYPED_SEARCH : LONGEST_SEARCH);
  const hasMore = (element) =>
    clientHeight(element) > 16 &&
    scrollHeight(element) > clientHeight(element) + 8 &&
    styleOf(element).overflowY !== 'visible' &&
    isVisible(element);
  for (const list of listsOf(field)) {
    const around = [list, ...aroundList(list, field)].flatMap((part) => [part, ...query(part, '*')]);
    const scroller = around.find(hasMore);
    if (!scroller) continue;
    const before = scroller.scrollTop;
    const drawn = textContent(scroller);
    const last = () => scrollHeight(scroller) - clientHeight(scroller) - 1;
    let isLast = false;
    for (let step = 0; !isLast && performance.now() < end; step += 1) {
      scroller.scrollTop = step * clientHeight(scroller) * SCROLL_SHARE;
      // The page gets the scroll event before the frame, and may draw the next options in a task of its own.
      await nextFrame();
      await nextTask();
      const one = look();
      if (one) return one;
      isLast = scroller.scrollTop >= last() || (step === SAME_STEPS && textContent(scroller) === drawn);
    }
    scroller.scrollTop = before;
    await twoFrames();
  }
  return undefined;
}

/** The longest time that a list for one choice takes to close, in milliseconds. */
const CLOSING = 150;

/**
 * Returns `{ open, several }`: true if a list of this field stays open, and if it takes several choices, which it shows
 * by staying open if nothing else says so.
 */
async function openList(target) {
  const found = resolveElement(target);
  if (found.error) return found;
  const field = fieldOf(found.element);
  const lists = listsOf(field);
  const saysOpen = () => attribute(field, 'aria-expanded') === 'true';
  // A list that closes may still be visible while it fades out; one for assistive technology only has no box.
  const isDrawn = (list) => isVisible(list) && !animationsOf(list).length;
  const isOpen = () =>
    attribute(field, 'aria-expanded') !== 'false' &&
    lists.some((list) => isDrawn(list) || (saysOpen() && aroundList(list, field).some(isDrawn)));
  if (isOpen()) await until(() => !isOpen(), CLOSING);
  const isForSeveral = (list) => attribute(list, 'aria-multiselectable') === 'true';
  return { open: isOpen(), several: saysOpen() || lists.some(isForSeveral) };
}

/** Returns the options with this exact name, or else those whose name differs in case only. */
function exactly(options, wanted) {
  const same = options.filter(({ name }) => name === wanted);
  return same.length ? same : options.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
}

/** Returns the element that shows a text beside a list: inside the list's popup, but not in the field. */
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

/** Returns up to two ancestors of a list that do not contain its field; a popup has no more. */
function aroundList(list, field) {
  const around = [];
  let node = flatParent(list);
  for (let steps = 0; steps < 2 && node && node !== documentBody(document) && !within(field, node); steps += 1) {
    around.push(node);
    node = flatParent(node);
  }
  return around;
}

/** Focuses a slider that is moved by keys and returns its value as `{ now }`. Returns `{}` for any other field. */
function slider(target) {
  return onField(target, (field) => {
    const now = attribute(field, 'aria-valuenow');
    if (localName(field) === 'input' || roleOf(field) !== 'slider' || now === null) return {};
    if (focused() !== field) field.focus();
    return { now: Number(now) };
  }, takesKeys);
}
