// What a person could see. Opacity 0 counts as visible: file inputs and custom checkboxes hide that way and can be
// used.

/** Whether the element itself is drawn: no `display: none`, closed `details`, `content-visibility: hidden` above it. */
function isRendered(element) {
  // `display: contents` has no box of its own, but its children have.
  return checkVisibility(element) || (styleOf(element).display === 'contents' && hasRenderedParent(element));
}

function hasRenderedParent(element) {
  const parent = flatParent(element);
  return !parent || isRendered(parent);
}

/**
 * Hidden from assistive technology whatever its looks (WAI-ARIA 1.2, "Excluding Elements from the Accessibility Tree").
 */
function isExcluded(element) {
  return attribute(element, 'aria-hidden') === 'true' || hasAttribute(element, 'inert');
}

/** Seen and reachable: rendered, not `visibility: hidden`, and with an area. */
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

/** `isVisible`, and nothing above hides it from assistive technology. */
function isExposed(element) {
  if (!isVisible(element)) return false;
  for (let node = element; node; node = flatParent(node)) if (isExcluded(node)) return false;
  return true;
}

/** Cannot be acted on (HTML "actually disabled"; aria-disabled reaches the descendants). */
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

/** Has its own scrolled content; the document's scroller is none of them. */
function isScrollable(element, style) {
  if (NO_SCROLLERS.has(localName(element))) return false;
  if (element === documentBody(document) || element === rootElement(document)) return false;
  return (
    (isScrollbar(style.overflowY) && scrollHeight(element) > clientHeight(element) + 8 && clientHeight(element) > 16) ||
    (isScrollbar(style.overflowX) && scrollWidth(element) > clientWidth(element) + 8 && clientWidth(element) > 16)
  );
}
