// Finds elements by text, role, tag and attributes; all conditions must match.

/**
 * Returns `{ elements: [{ ref, role, name, tag, states, text?, visible }], total }`, visible ones first, with `text` for
 * those without a name.
 * @param attributes name -> value; an empty value requires only that the attribute exists.
 */
function matching({ text, role, tagName, attributes, maxResults }) {
  const wanted = text ? tidy(text).toLowerCase() : '';
  let found = wanted && !role && !tagName && !Object.keys(attributes).length ? innermost(wanted) : [...everyElement()];
  if (tagName) found = found.filter((element) => localName(element) === tagName.toLowerCase());
  for (const [name, value] of Object.entries(attributes)) {
    found = found.filter(
      (element) => hasAttribute(element, name) && (value === '' || attribute(element, name) === String(value)),
    );
  }
  if (role) found = found.filter((element) => roleOf(element) === role.toLowerCase());
  found = found.filter((element) => !UNREADABLE.has(localName(element)));
  if (wanted) {
    found = found.filter(
      (element) => shownText(element).includes(wanted) || nameOf(element).toLowerCase().includes(wanted),
    );
  }
  const visible = new Set(found.filter(isExposed));
  const ordered = [...visible, ...found.filter((element) => !visible.has(element))];
  return {
    elements: ordered.slice(0, maxResults).map((element) => {
      const name = nameOf(element);
      const own = identity(element);
      return {
        ...own,
        tag: tagOf(element),
        states: statesOf(element, own.role),
        ...(!name && { text: clip(tidy(spacedText(element)), 120) }),
        visible: visible.has(element),
      };
    }),
    total: found.length,
  };
}
