// Short descriptions of single elements: a line as in a snapshot, a tag, a Playwright locator.

/** Returns the line of a snapshot with its surroundings: `button "Edit" [ref=e9] in row "17 Ann"`. */
function lineOf(element) {
  const role = roleOf(element);
  const name = nameOf(element, role) || clip(tidy(spacedText(element)), 60);
  const line = keyOf({
    role,
    name,
    states: statesOf(element, role, focused()),
    ref: refOf(element, role),
    cursor: false,
  });
  const around = surrounding(element);
  return `${line}${isExposed(element) ? '' : ' (not visible)'}${around ? ` in ${around}` : ''}`;
}

const SURROUNDINGS = new Set([
  'row',
  'listitem',
  'article',
  'dialog',
  'region',
  'navigation',
  'form',
  'group',
  'banner',
  'contentinfo',
  'main',
  'combobox',
  'listbox',
  'radiogroup',
]);

/**
 * Returns the surroundings that distinguish equal buttons: the row, the item, or the part of the page. The nearest one
 * with a name is preferred.
 */
function surrounding(element) {
  let unnamed = '';
  for (let node = flatParent(element); node; node = flatParent(node)) {
    const role = roleOf(node);
    if (!SURROUNDINGS.has(role)) continue;
    const name =
      role === 'listitem' || role === 'row' ? tidy(contentText(node, { seen: new Set() })) : labelOf(node, role);
    if (name) return `${role} ${JSON.stringify(clip(name, 60))}`;
    unnamed ||= role;
  }
  return unnamed;
}

/** Returns `<div#consent.overlay>`; the text that the page controls is shortened and on one line. */
function tagOf(element) {
  const id = brief(attribute(element, 'id') ?? '');
  const [first] = brief(attribute(element, 'class') ?? '').split(' ');
  return `<${localName(element)}${id ? `#${id}` : ''}${first ? `.${first}` : ''}>`;
}

const quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Returns `{ locator }`: the Playwright expression in TypeScript that finds the same element. */
function playwright(target) {
  const found = resolveElement(target);
  if (found.error) return found;
  const { element } = found;
  const testId = attribute(element, 'data-testid');
  if (testId) return { locator: `page.getByTestId(${quoted(testId)})` };
  const role = roleOf(element);
  const name = nameOf(element, role);
  if (role !== 'generic' && name) {
    const same = [...everyElement()].filter((other) => roleOf(other) === role && isExposed(other));
    const equal = same.filter((other) => nameOf(other, role) === name);
    const part = same.filter((other) => nameOf(other, role).toLowerCase().includes(name.toLowerCase()));
    const exact = part.length > equal.length ? ', exact: true' : '';
    const nth = equal.length > 1 ? `.nth(${equal.indexOf(element)})` : '';
    return { locator: `page.getByRole(${quoted(role)}, { name: ${quoted(name)}${exact} })${nth}` };
  }
  const selector = selectorOf(element);
  const nth = query(getRootNode(element), selector);
  return { locator: `page.locator(${quoted(selector)})${nth.length > 1 ? `.nth(${nth.indexOf(element)})` : ''}` };
}

/** Returns a short selector that is unique in the element's tree if an id allows it. */
function selectorOf(element) {
  const steps = [];
  for (let node = element; node && isElement(node) && steps.length < 4; node = parentNode(node)) {
    const id = attribute(node, 'id');
    if (id) {
      steps.unshift(`#${CSS.escape(id)}`);
      break;
    }
    const siblings = parentNode(node)
      ? childNodes(parentNode(node)).filter((other) => isElement(other) && localName(other) === localName(node))
      : [];
    steps.unshift(
      siblings.length > 1 ? `${localName(node)}:nth-of-type(${siblings.indexOf(node) + 1})` : localName(node),
    );
    if (localName(node) === 'body') break;
  }
  return steps.join(' > ');
}
