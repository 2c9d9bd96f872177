// Determines what a person could see. Opacity 0 counts as visible: file inputs and custom checkboxes are hidden in this
// way and can be used.

/**
 * True if the element itself is drawn: no `display: none`, closed `details` or `content-visibility: hidden` above it.
 */
function isRendered(element) {
  // `display: contents` has no box of its own, but its children have.
  return checkVisibility(element) || (styleOf(element).display === 'contents' && hasRenderedParent(element));
}

function hasRenderedParent(element) {
  const parent = flatParent(element);
  return !parent || isRendered(parent);
}

/**
 * True if the element is hidden from assistive technology, whatever its looks (WAI-ARIA 1.2, "Excluding Elements from
 * the Accessibility Tree").
 */
function isExcluded(element) {
  return attribute(element, 'aria-hidden') === 'true' || hasAttribute(element, 'inert');
}

/** True if the element is visible and reachable: rendered, not `visibility: hidden`, and with an area. */
function isVisible(element) {
  if (!isRendered(element) || styleOf(element).visibility !== 'visible') return false;
  if (styleOf(element).display === 'contents') {
    return flatChildren(element).some((child) =>
      isElement(child) ? isVisible(child) : isText(child) && tidy(nodeValue(child)),
    );
  }
  const box = boundingBox(element);
  return box.width > 0 && box.height > 0;
}

/** True if the element or an ancestor is hidden from assistive technology. */
function isInExcluded(element) {
  for (let node = element; node; node = flatParent(node)) if (isExcluded(node)) return true;
  return false;
}

/** True if the element is visible and no ancestor hides it from assistive technology. */
const isExposed = (element) => isVisible(element) && !isInExcluded(element);

/** True if a snapshot lists the element, which may have no area: its parts can lie outside its box. */
const isInSnapshot = (element) =>
  isRendered(element) && styleOf(element).visibility === 'visible' && !isInExcluded(element);

/** True if the element cannot be acted on (HTML "actually disabled"; aria-disabled applies to the descendants too). */
function isDisabled(element) {
  if (matches(element, ':disabled')) return true;
  for (let node = element; node; node = flatParent(node)) {
    const state = attribute(node, 'aria-disabled');
    if (state !== null) return state === 'true';
  }
  return false;
}

const isScrollbar = (overflow) => overflow === 'auto' || overflow === 'scroll';

const NO_SCROLLERS = new Set('a b button code em i label li p span strong svg td th tr'.split(' '));

/** True if the element scrolls its own content. The document's scroller does not count. */
function isScrollable(element, style) {
  if (NO_SCROLLERS.has(localName(element))) return false;
  if (element === documentBody(document) || element === rootElement(document)) return false;
  return (
    (isScrollbar(style.overflowY) && scrollHeight(element) > clientHeight(element) + 8 && clientHeight(element) > 16) ||
    (isScrollbar(style.overflowX) && scrollWidth(element) > clientWidth(element) + 8 && clientWidth(element) > 16)
  );
}
