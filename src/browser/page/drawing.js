// Drawings (`<svg>`): the nodes of their texts, of the shapes that can be acted on, and of the titles of other shapes.
// All other shapes are decoration and have no node.

/** Elements that only define something, or that are not drawn. */
const DEFINITIONS = new Set(
  'clipPath defs desc filter linearGradient marker mask metadata pattern radialGradient symbol'.split(' '),
);
/** The largest side of an icon in CSS pixels. The shapes of an icon have the names of the drawing program, if any. */
const ICON_SIDE = 48;

const isShape = (element) => element instanceof SVGElement && localName(element) !== 'svg';

/** Returns the content of a drawing: texts side by side in one line, and nodes. */
function drawingNodes(svg, walk, pointer) {
  const { width, height } = boundingBox(svg);
  const isIcon = Math.max(width, height) <= ICON_SIDE;
  const nodes = joinedTexts([...childElements(svg)].flatMap((child) => shapeNodes(child, { walk, pointer, isIcon })), walk);
  const shown = walk.rows * 2;
  const parts = nodes.filter((node) => typeof node !== 'string' && node !== BREAK);
  const left = parts.length - shown;
  if (left <= 0) return nodes;
  const cut = new Set(parts.slice(shown));
  return [...nodes.filter((node) => !cut.has(node)), { mark: true, count: left, noun: 'parts', owner: null }];
}

/** Returns the nodes of one element of a drawing. `pointer`: the cursor shows already that its parent can be clicked. */
function shapeNodes(element, { walk, pointer, isIcon }) {
  const tag = localName(element);
  if (DEFINITIONS.has(tag) || UNREADABLE.has(tag) || (isExcluded(element) && !walk.hidden)) return [];
  if (tag === 'foreignObject') {
    return [BREAK, ...[...childElements(element)].flatMap((child) => walkElement(child, walk, pointer)), BREAK];
  }
  if (!checkVisibility(element)) return [];
  const style = styleOf(element);
  const isPointer = style.cursor === 'pointer';
  const content =
    tag === 'text'
      ? [BREAK, isVisible(element) ? drawnText(element) : '', BREAK]
      : [...childElements(element)].flatMap((child) => shapeNodes(child, { walk, pointer: isPointer, isIcon }));
  const role = roleOf(element);
  const name = labelOf(element, role);
  const clickable = isPointer && !pointer;
  if (!isVisible(element) || !isActionable(element, role, style, clickable)) {
    const isTold = name && !isIcon && isVisible(element) && !settled(content).includes(name);
    return isTold ? [BREAK, name, BREAK, ...content] : content;
  }
  return simplified({
    role,
    name,
    states: statesOf(element, role, walk.focus),
    cursor: clickable && !INTERACTIVE.has(role),
    properties: propertiesOf(element, role, tag),
    children: settled(joinedTexts(content, walk)),
    element,
    ref: null,
    wanted: true,
  });
}

/** Returns the text of a `<text>`. A part with a position of its own is another word or another line. */
function drawnText(element) {
  const read = (node) => {
    if (isText(node)) return nodeValue(node);
    if (!isElement(node) || UNREADABLE.has(localName(node))) return '';
    const isApart = ['x', 'y', 'dy'].some((name) => hasAttribute(node, name));
    return (isApart ? ' ' : '') + childNodes(node).map(read).join('');
  };
  return tidy(childNodes(element).map(read).join(''));
}

/** Puts texts that follow each other, such as the labels of an axis, in one line; a search needs one line for each. */
function joinedTexts(content, walk) {
  if (walk.rows === Infinity) return content;
  const joined = [];
  for (const part of settled(content)) {
    if (typeof part === 'string' && typeof joined.at(-1) === 'string') joined.push(`${joined.pop()} | ${part}`);
    else joined.push(part);
  }
  return joined.length ? [BREAK, ...joined.flatMap((part) => [part, BREAK])] : [];
}
