// What a node becomes once its children are known: nothing is said twice, nothing is wrapped for nothing.

/** Lists inside these are their only content and need no line. */
const HOLDERS = new Set([...LANDMARKS, 'listitem', 'toolbar', 'menu', 'group']);
/** With one child they are that child. */
const SHELLS = new Set(['listitem', 'paragraph', 'list', 'figure', 'none', 'generic', 'definition', 'group']);

function simplified(node) {
  const { role } = node;
  if (node.name && NAMED_BY_CONTENT.has(role) && !SHOWN_BY_CONTENT.has(role)) {
    node.children = node.children.filter((child) => !repeats(child, node.name));
  }
  // A legend or a caption is the name already.
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
  // A paragraph of controls only lays them out.
  if (bare && role === 'paragraph' && node.children.every((child) => child.wanted && child.role !== 'link'))
    return node.children;
  node.compact =
    FLOWING.has(role) && !node.properties.length && node.children.length > 0 && node.children.every(fitsInLine);
  // A picture without name, an empty landmark, an empty list: nothing to read and nothing to do.
  if (bare && !node.children.length && role !== 'separator' && !CELLS.has(role)) return [];
  return [node];
}

/**
 * Content that the name says already: its texts, its pictures, its headings. A symbol under a name says nothing either.
 */
function repeats(child, name) {
  if (typeof child === 'string') return child.length <= 3 || name.includes(child);
  if (child.wanted || child.mark) return false;
  return (!child.name || name.includes(child.name)) && child.children.every((inner) => repeats(inner, name));
}

/** Whoever is asked for what a mark left out: the nearest shown ancestor. */
function claimMarks(node) {
  for (const child of node.children) {
    if (child.mark && !child.owner) {
      node.wanted = true;
      child.owner = node;
    }
  }
}

/** A part without a role of its own that can be acted on and holds one text, such as a clickable `span`. */
function isBareText(part) {
  const [text] = part.children ?? [];
  const isBare = part.role === 'generic' && !part.name && !part.states.length && !part.properties.length;
  return isBare && part.children.length === 1 && typeof text === 'string';
}

const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

/**
 * Can stand inside a line: a text, or a control that is told in one piece. A link whose address is wanted has its own
 * line.
 */
function fitsInLine(part) {
  if (textOf(part) !== undefined || isBareText(part)) return true;
  if (part.mark || part.children.length || part.role === 'iframe') return false;
  return !part.name || !part.properties.some(([property]) => property === 'url');
}

/** A row whose cells hold texts and simple controls is one line: `- row: 17 | Ann | button "Edit" [ref=e9]`. */
function compactRow(node) {
  const plain = (cell) => cell.children && CELLS.has(cell.role) && !cell.wanted && !cell.states.length;
  node.compact = node.children.every((cell) => fitsInLine(cell) || (plain(cell) && cell.children.every(fitsInLine)));
  return node.children.length ? [node] : [];
}

/** Prose with links is one line, and so is a list item: `- paragraph: See link "the rules" [ref=e7] first.` */
const FLOWING = new Set(['blockquote', 'caption', 'definition', 'heading', 'listitem', 'paragraph', 'term']);
