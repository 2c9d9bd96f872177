// Simplifies a node once its children are known: nothing is repeated, and no wrapper without information remains.

/** A list that is the only content of one of these needs no line of its own. */
const HOLDERS = new Set([...LANDMARKS, 'listitem', 'toolbar', 'menu', 'group']);
/** With a single child, a node of these roles is replaced by that child. */
const SHELLS = new Set(['listitem', 'paragraph', 'list', 'figure', 'none', 'generic', 'definition', 'group']);

function simplified(node) {
  const { role } = node;
  if (node.name && NAMED_BY_CONTENT.has(role) && !SHOWN_BY_CONTENT.has(role)) {
    node.children = node.children.filter((child) => !repeats(child, node.name));
  }
  // A legend or a caption is already the name.
  if (node.name) node.children = node.children.filter((child) => child !== node.name);
  if (role === 'row') return compactRow(node);
  if (HOLDERS.has(role) && node.children.length === 1) {
    const [only] = node.children;
    if (only.role === 'list' && !only.wanted && !only.name) node.children = only.children;
  }
  claimMarks(node);
  const bare = !node.wanted && !node.name && !node.states.length && !node.properties.length;
  if (bare && SHELLS.has(role)) {
    if (!node.children.length) return [];
    if (node.children.length === 1 && textOf(node.children[0]) === undefined && !node.children[0].mark)
      return node.children;
  }
  // A paragraph that contains only controls is layout.
  if (bare && role === 'paragraph' && node.children.every((child) => child.wanted && child.role !== 'link'))
    return node.children;
  node.compact =
    FLOWING.has(role) && !node.properties.length && node.children.length > 0 && node.children.every(fitsInLine);
  // A picture without a name, an empty landmark, an empty list: without content and without an action.
  if (bare && !node.children.length && role !== 'separator' && !CELLS.has(role)) return [];
  return [node];
}

/**
 * True for content that the name contains already: texts, pictures, headings. A symbol below a name adds nothing
 * either.
 */
function repeats(child, name) {
  if (typeof child === 'string') return child.length <= 3 || name.includes(child);
  if (child.wanted || child.mark) return false;
  return (!child.name || name.includes(child.name)) && child.children.every((inner) => repeats(inner, name));
}

/** Makes the nearest shown ancestor the owner of a mark, so that its ref can be used to request the omitted nodes. */
function claimMarks(node) {
  for (const child of node.children) {
    if (child.mark && !child.owner) {
      node.wanted = true;
      child.owner = node;
    }
  }
}

/** True for a part without a role of its own that can be acted on and contains one text, such as a clickable `span`. */
function isBareText(part) {
  const [text] = part.children ?? [];
  const isBare = part.role === 'generic' && !part.name && !part.states.length && !part.properties.length;
  return isBare && part.children.length === 1 && typeof text === 'string';
}

const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

/**
 * True if the part fits inside a line: a text, or a control that is described in one piece. A link whose address is
 * wanted has its own line.
 */
function fitsInLine(part) {
  if (textOf(part) !== undefined || isBareText(part)) return true;
  if (part.mark || part.children.length || part.role === 'iframe') return false;
  return !part.name || !part.properties.some(([property]) => property === 'url');
}

/** Makes a row whose cells contain texts and simple controls one line: `- row: 17 | Ann | button "Edit" [ref=e9]`. */
function compactRow(node) {
  const plain = (cell) => cell.children && CELLS.has(cell.role) && !cell.wanted && !cell.states.length;
  node.compact = node.children.every((cell) => fitsInLine(cell) || (plain(cell) && cell.children.every(fitsInLine)));
  return node.children.length ? [node] : [];
}

/** Prose with links is one line, and so is a list item: `- paragraph: See link "the rules" [ref=e7] first.` */
const FLOWING = new Set(['blockquote', 'caption', 'definition', 'heading', 'listitem', 'paragraph', 'term']);
