// Detects lists and menus that open under the pointer or during typing, including those without any ARIA state.

/** The elements that lists of suggestions are made of. */
const LISTS = 'ul, ol, [role="listbox"], [role="menu"], [role="grid"], [role="tree"], [role="dialog"], [popover]';
/** The maximum number of added elements that are examined. */
const CAME = 200;
/**
 * The maximum number of elements that are examined around a field and at the top of the page, and of levels around a
 * field.
 */
const NEAR = 300;
const LEVELS = 4;

/**
 * The state since typing into `field` began: the lists that were visible before, the parts that were hidden, and the
 * elements added since: `{ field, shown, hidden, came, observer }`.
 */
let typing;

/** Starts recording the elements that become visible, if popups are to be reported. */
function watchPopups(field, isTold) {
  forgetPopups();
  if (!isTold) return;
  const shown = new WeakSet(everyRoot().flatMap((root) => query(root, LISTS)).filter(isVisible));
  const came = new Set();
  const observer = new MutationObserver(noteCame);
  typing = { field, shown, hidden: hiddenParts(field), came, observer };
  observer.observe(document, { childList: true, subtree: true });
}

function forgetPopups() {
  typing?.observer.disconnect();
  typing = undefined;
}

function noteCame(records) {
  for (const { addedNodes } of records) {
    for (const element of [...addedNodes].filter(isElement)) typing.came.add(element);
    if (typing.came.size > CAME) return typing.observer.disconnect();
  }
  return undefined;
}

const isShown = (element) => checkVisibility(element, { visibilityProperty: true, opacityProperty: true });

/** Returns the hidden elements around a field and at the top of the page, where popups usually are. */
function hiddenParts(field) {
  const near = [];
  let node = field;
  for (let steps = 0; steps < LEVELS && flatParent(node) && flatParent(node) !== documentBody(document); steps += 1) {
    node = flatParent(node);
    const inside = query(node, '*');
    if (inside.length > NEAR) break;
    near.splice(0, near.length, ...inside);
  }
  const top = documentBody(document) ? [...childElements(documentBody(document))].slice(-NEAR) : [];
  const below = top.flatMap((element) => [...childElements(element)]).slice(-NEAR);
  const isHidden = (element) =>
    !UNREADABLE.has(localName(element)) && !isShown(element) && styleOf(element).display !== 'contents';
  return [...new Set([...near, ...top, ...below])].filter(isHidden);
}

/** True if a new list, or an element out of the normal flow, has become visible while a field was typed into. */
function hasCome(field) {
  if (typing?.field !== field) return false;
  noteCame(typing.observer.takeRecords());
  const isNew = (element) =>
    isConnected(element) && !within(field, element) && !within(element, field) && isVisible(element) && tidy(textContent(element)) !== '';
  const lists = everyRoot().flatMap((root) => query(root, LISTS)).filter((list) => !typing.shown.has(list));
  const parts = [...typing.came, ...typing.hidden.filter(isShown)].flatMap((element) => [element, ...query(element, '*')]);
  return lists.some(isNew) || parts.slice(0, CAME).some((part) => isNew(part) && floats(part, field));
}

/** True if the element, alone or with an ancestor, is out of the normal flow, but not together with the field. */
function floats(element, field) {
  for (let node = element; node && !within(field, node); node = flatParent(node)) {
    if (['absolute', 'fixed'].includes(styleOf(node).position)) return true;
  }
  return false;
}

/** True if something that can be read has become visible since the pointer began to move over an element. */
function hasRevealed(element) {
  if (typing?.field !== element) return false;
  noteCame(typing.observer.takeRecords());
  const isNew = (part) => isConnected(part) && !within(element, part) && isVisible(part) && tidy(textContent(part)) !== '';
  const lists = everyRoot().flatMap((root) => query(root, LISTS)).filter((list) => !typing.shown.has(list));
  return [...lists, ...typing.came, ...typing.hidden.filter(isShown)].some(isNew);
}

/** The time in milliseconds after which most menus and tooltips open under a pointer that rests. */
const HOVER_DELAY = 250;

/**
 * Returns `{ opened }`: true if a list or menu of this element is open, or if hovering over it has revealed something.
 * Waits at most `patience` milliseconds for that.
 */
async function revealed(target, patience) {
  const found = resolveElement(target);
  if (found.error) return found;
  const owner = popupOwner(found.element);
  const isOpen = () => (owner && attribute(owner, 'aria-expanded') === 'true') || hasRevealed(found.element);
  const bound = owner ? patience : Math.min(patience, HOVER_DELAY);
  const isOpened = Boolean(isOpen() || (bound > 0 && (await until(isOpen, bound))));
  forgetPopups();
  return { opened: isOpened };
}

/**
 * Returns the combobox or menu button that an element is or belongs to. Other expanded elements, such as an item of a
 * tree, show a part of the page.
 */
function popupOwner(element) {
  const owner = hasAttribute(element, 'aria-expanded') ? element : closest(element, '[role="combobox"][aria-expanded]');
  return owner && (roleOf(owner) === 'combobox' || hasAttribute(owner, 'aria-haspopup')) ? owner : null;
}

/**
 * Returns `{ opened }`: true if a list or menu of this element, or of the combobox around it, is open, or appeared
 * during typing. Waits at most `patience` milliseconds for one that a combobox or a menu button is about to open: many
 * query a server first, after a delay of their own, and nothing announces this.
 */
async function opened(target, patience) {
  const found = resolveElement(target);
  if (found.error) return found;
  const { element } = found;
  const owner = popupOwner(element);
  const isOpen = () => (owner && attribute(owner, 'aria-expanded') === 'true') || hasCome(fieldOf(element));
  const isOpened = Boolean(isOpen() || (owner && patience > 0 && (await until(isOpen, patience))));
  forgetPopups();
  return { opened: isOpened };
}
