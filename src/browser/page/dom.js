// Access to the document that does not depend on the names of form fields.
// A form or the document resolves the names of its fields before its own properties (`<input name="parentNode">`), in
// every world. Everything is therefore read through the getters and methods of the prototypes, never from the node
// itself.
const getter = (prototype, name) => {
  const get = Object.getOwnPropertyDescriptor(prototype, name).get;
  return (node) => get.call(node);
};
const method = (prototype, name) => {
  const call = prototype[name];
  return (node, ...args) => call.apply(node, args);
};

const nodeType = getter(Node.prototype, 'nodeType');
const parentNode = getter(Node.prototype, 'parentNode');
const firstChild = getter(Node.prototype, 'firstChild');
const nextSibling = getter(Node.prototype, 'nextSibling');
const textContent = getter(Node.prototype, 'textContent');
const nodeValue = getter(Node.prototype, 'nodeValue');
const isConnected = getter(Node.prototype, 'isConnected');
const getRootNode = method(Node.prototype, 'getRootNode');
const localName = getter(Element.prototype, 'localName');
const shadowRoot = getter(Element.prototype, 'shadowRoot');
const childElements = getter(Element.prototype, 'children');
const assignedSlot = getter(Element.prototype, 'assignedSlot');
const textSlot = getter(Text.prototype, 'assignedSlot');
const attribute = method(Element.prototype, 'getAttribute');
const hasAttribute = method(Element.prototype, 'hasAttribute');
const attributeNames = method(Element.prototype, 'getAttributeNames');
const matches = method(Element.prototype, 'matches');
const closest = method(Element.prototype, 'closest');
const checkVisibility = method(Element.prototype, 'checkVisibility');
const boundingBox = method(Element.prototype, 'getBoundingClientRect');
const clientRects = method(Element.prototype, 'getClientRects');
const dispatch = method(EventTarget.prototype, 'dispatchEvent');
const textWalker = method(Document.prototype, 'createTreeWalker');
const queryDocument = method(Document.prototype, 'querySelectorAll');
const queryFragment = method(DocumentFragment.prototype, 'querySelectorAll');
const queryElement = method(Element.prototype, 'querySelectorAll');
const documentById = method(Document.prototype, 'getElementById');
const fragmentById = method(DocumentFragment.prototype, 'getElementById');
const documentBody = getter(Document.prototype, 'body');
const rootElement = getter(Document.prototype, 'documentElement');
const documentFocus = getter(Document.prototype, 'activeElement');
const fragmentFocus = getter(ShadowRoot.prototype, 'activeElement');
const documentTitle = getter(Document.prototype, 'title');
const documentIsHidden = getter(Document.prototype, 'hidden');
const animations = method(Document.prototype, 'getAnimations');
const runCommand = method(Document.prototype, 'execCommand');
const createRange = method(Document.prototype, 'createRange');
const scrollHeight = getter(Element.prototype, 'scrollHeight');
const scrollWidth = getter(Element.prototype, 'scrollWidth');
const clientHeight = getter(Element.prototype, 'clientHeight');
const clientWidth = getter(Element.prototype, 'clientWidth');
const scrollIntoView = method(Element.prototype, 'scrollIntoView');
const editable = getter(HTMLElement.prototype, 'isContentEditable');
const isEditable = (element) => element instanceof HTMLElement && editable(element);
const styleOf = (element, pseudo) => getComputedStyle(element, pseudo);

/** Returns the child nodes. Walking the links is several times as fast as reading the live list. */
function childNodes(node) {
  const children = [];
  for (let child = firstChild(node); child; child = nextSibling(child)) children.push(child);
  return children;
}

const isElement = (node) => nodeType(node) === 1;
const isText = (node) => nodeType(node) === 3;
const isShadowRoot = (node) => node instanceof ShadowRoot;

/** Returns the text of an element with a space for each `<br>`, and without the elements that `skips` names. */
function textWithBreaks(element, skips = () => false) {
  const read = (node) => {
    if (isText(node)) return nodeValue(node);
    if (!isElement(node) || skips(node)) return '';
    return localName(node) === 'br' ? ' ' : childNodes(node).map(read).join('');
  };
  return read(element);
}

/** Returns the text of an element, in which a line break separates words. Most elements have no line break. */
const spacedText = (element) => (query(element, 'br').length ? textWithBreaks(element) : textContent(element));

/** Returns all matches of a selector below a document, a shadow root or an element, in document order. */
function query(root, selector) {
  if (nodeType(root) === 9) return [...queryDocument(root, selector)];
  return nodeType(root) === 11 ? [...queryFragment(root, selector)] : [...queryElement(root, selector)];
}

/** Returns the element with this id in the tree (document or shadow root) that contains `element`. */
function byId(element, id) {
  const root = getRootNode(element);
  if (nodeType(root) === 9) return documentById(root, id);
  return nodeType(root) === 11 ? fragmentById(root, id) : null;
}

/** Returns the existing elements that an attribute with a list of ids (aria-labelledby, aria-owns ...) refers to. */
function byIds(element, name) {
  const ids = attribute(element, name);
  if (!ids) return [];
  return ids
    .split(/\s+/)
    .filter(Boolean)
    .map((id) => byId(element, id))
    .filter(Boolean);
}

/**
 * Returns the children in layout order: those of the shadow root or those assigned to a slot, then those of aria-owns.
 */
function flatChildren(element) {
  const shadow = shadowRoot(element);
  if (shadow) return childNodes(shadow);
  if (element instanceof HTMLSlotElement) {
    const assigned = element.assignedNodes();
    return assigned.length ? assigned : childNodes(element);
  }
  return childNodes(element);
}

/** Returns the parent in the layout: the slot, else the parent, else the host of the shadow root. */
function flatParent(node) {
  const slot = isElement(node) ? assignedSlot(node) : null;
  if (slot) return slot;
  const parent = parentNode(node);
  if (!parent) return null;
  if (isShadowRoot(parent)) return parent.host;
  return isElement(parent) ? parent : null;
}

/** True if `inner` is `outer` or a descendant of it, through shadow roots and slots. */
function within(inner, outer) {
  for (let node = inner; node; node = flatParent(node)) if (node === outer) return true;
  return false;
}

/** Returns every open shadow root of the document, outer ones first. */
function shadowRoots(root = document) {
  const found = [];
  for (const element of query(root, '*')) {
    const shadow = shadowRoot(element);
    if (shadow) found.push(shadow, ...shadowRoots(shadow));
  }
  return found;
}

/** Returns the focused element, also inside shadow roots; null if only the body has the focus. */
function focused() {
  let element = documentFocus(document);
  while (element && shadowRoot(element) && fragmentFocus(shadowRoot(element))) {
    element = fragmentFocus(shadowRoot(element));
  }
  return element === documentBody(document) || element === rootElement(document) ? null : element;
}

/**
 * Characters to remove when white space is normalised: icons of private use and invisible characters have no meaning.
 */
const INVISIBLE = /[\u200b\u200c\u2060\ufeff\u00ad\ue000-\uf8ff]/g;
function tidy(text) {
  // A text of the page must not look like one of our references.
  return text.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim().replaceAll('[ref=', '[ref =');
}

/** Returns `text` cut to `limit` characters, never inside a surrogate pair, with an ellipsis if it was cut. */
function clip(text, limit) {
  if (text.length <= limit) return text;
  const end = /[\ud800-\udbff]/.test(text[limit - 1]) ? limit - 1 : limit;
  return `${text.slice(0, end)}…`;
}

/** Returns a text of the page for use in a message: short, and on one line. */
const brief = (text) => clip(tidy(text), 80);

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
