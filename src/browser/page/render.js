// Renders the tree as lines of Playwright's aria snapshots (YAML):
// `- role "name" [state] [ref=e1] [cursor=pointer]: text`.

/** Returns `role "name" [state] [ref=e1] [cursor=pointer]`. */
function keyOf(node, boxes = false) {
  let key = node.role;
  if (node.name) key += ` ${JSON.stringify(clip(node.name, NAME_LIMIT))}`;
  for (const state of node.states) key += ` [${state}]`;
  if (node.ref) key += ` [ref=${node.ref}]`;
  if (node.cursor) key += ' [cursor=pointer]';
  if (boxes && node.ref) key += ` [box=${boxText(node.element)}]`;
  return key;
}

function boxText(element) {
  const box = boundingBox(element);
  return [box.x, box.y, box.width, box.height].map(Math.round).join();
}

/** Returns the number of characters of the rendered nodes, by which a run's budget is measured. */
const sizeOf = (nodes) => linesOf(settled(nodes)).reduce((size, line) => size + line.length + 1, 0);

/**
 * Returns the size of the nodes in characters, weighted by tokens: a character of most other scripts costs one token,
 * as four ASCII characters do.
 */
const weightOf = (nodes) =>
  linesOf(settled(nodes)).reduce((size, line) => size + line.length + 1 + 3 * line.replace(/[\x00-\x7f]+/g, '').length, 0);

/** Returns the suffix of a reference for a place in a long run: `e12@25/3` begins with the 26th member of run 3. */
const placeOf = ({ row, run }) => `@${row}/${run}`;

function markLine(node) {
  const place = node.place ? placeOf(node.place) : '';
  const way = node.owner ? `snapshot target=${node.owner.ref}${place}, or ` : '';
  return `… ${grouped(node.count)} more ${node.noun} (${way}find)`;
}

/**
 * Returns all lines of a tree down to `depth` levels; deeper nodes are counted. For each line, `sources` receives its
 * node. For a line in a long run, `members` receives its member, `{ place, parent, outer }` (`parent`: the node that
 * contains it, if any; `outer`: the member of another run that contains this run), with `isMark` for the mark of
 * omitted members.
 */
function linesOf(nodes, { depth = Infinity, boxes = false, texts = Infinity, iframes = [], sources = [], members = [] } = {}) {
  const lines = [];
  const emit = (node, level, parent, around) => {
    const indent = '  '.repeat(level);
    let member = around;
    for (const place of [...(node.places ?? [])].reverse()) member = { place, parent, outer: member };
    if (node.place) member = { place: node.place, parent, outer: member, isMark: true };
    sources[lines.length] = node;
    members[lines.length] = member;
    if (typeof node === 'string') return lines.push(`${indent}- text: ${scalar(clip(node, texts))}`);
    if (node.mark) return lines.push(`${indent}- ${markLine(node)}`);
    const parts = node.children.length + node.properties.length;
    const only = node.children.length === 1 && !node.properties.length && typeof node.children[0] === 'string';
    const isCut = parts > 0 && !only && !node.compact && level + 1 >= depth;
    // The target of the snapshot that shows the rest.
    if (isCut) node.ref ??= refOf(node.element, node.role, node.name);
    const key = quotedKey(keyOf(node, boxes));
    if (node.role === 'iframe') iframes.push({ ref: node.ref, line: lines.length });
    if (only) return lines.push(`${indent}- ${key}: ${scalar(clip(node.children[0], texts))}`);
    if (node.compact)
      return lines.push(`${indent}- ${key}: ${node.role === 'row' ? cellsOf(node) : flowing(node, texts)}`);
    if (isCut) return lines.push(`${indent}- ${key}: … ${grouped(countNodes(node))} more inside (depth)`);
    lines.push(`${indent}- ${key}${parts ? ':' : ''}`);
    for (const [name, value] of node.properties) lines.push(`${indent}  - /${name}: ${scalar(value)}`);
    for (const child of node.children) emit(child, level + 1, node, member);
    return undefined;
  };
  for (const node of nodes) emit(node, 0);
  return lines;
}

function cellsOf(row) {
  const part = (node) => textOf(node) ?? controlOf(node);
  const cell = (node) =>
    node.children && CELLS.has(node.role) && !node.wanted ? node.children.map(part).join(' ') || node.name : part(node);
  return row.children.map(cell).join(' | ');
}

/**
 * Renders texts and controls as one line, with a bar between two controls and no space before a comma or a full stop.
 */
function flowing(node, texts) {
  return node.children
    .map((part, index) => {
      const own = textOf(part);
      const text = own === undefined ? controlOf(part) : clip(own, texts);
      if (index === 0) return text;
      if (own !== undefined) return /^[,.;:!?)\]}、。，．」』）]/.test(text) ? text : ` ${text}`;
      return textOf(node.children[index - 1]) !== undefined ? ` ${text}` : ` | ${text}`;
    })
    .join('');
}

/** Renders a control. A control without a name shows at least its link target or its placeholder. */
const controlOf = (node) =>
  isBareText(node)
    ? `${node.children[0]}${keyOf(node).slice(node.role.length)}`
    : keyOf(node) + (node.name || !node.properties.length ? '' : ` (${node.properties[0][1]})`);

/** Assigns the wanted references, in reading order. */
function numbered(nodes) {
  for (const node of nodes) {
    if (typeof node === 'string' || node.mark) continue;
    if (node.wanted) node.ref = refOf(node.element, node.role, node.name);
    numbered(node.children);
  }
  return nodes;
}

const countNodes = (node) =>
  node.children.reduce((sum, child) => sum + 1 + (child.children && !child.isText ? countNodes(child) : 0), 0);

// Texts that YAML would not read as plain text.
const NOT_PLAIN =
  /^$|^[\s\-?:,[\]{}#&*!|>'"%@`]|: |:$| #|[\n\r\t\0]|\s$|^(?:true|false|yes|no|on|off|null|~|[-+.\d][\d.eE+_:-]*)$/i;
const scalar = (text) => (NOT_PLAIN.test(text) ? JSON.stringify(text) : text);

/** Returns the key in single quotes if it contains a colon or a comment sign. */
const quotedKey = (key) => (/: | #|:$/.test(key) ? `'${key.replaceAll("'", "''")}'` : key);
