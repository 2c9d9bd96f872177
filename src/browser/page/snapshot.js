// One snapshot: what of the page, how much of it, in which form.

/** Members shown of a long run; more where the caller asked for that part alone. */
const ROWS = { page: 6, part: 25 };
/** Longest text of one node in characters, likewise. */
const TEXTS = { page: 400, part: 4_000 };
const PART_RUN_BUDGET = 8_000;
const LONGEST = 40_000;

/**
 * @param root a target; without it the page. `depth` in levels, `maxLength` in characters, `rows` members of a long run (-1:
 *   all), `urls`: addresses of all links, `boxes`: `[box=x,y,width,height]` in CSS pixels of the frame's viewport.
 */
function snapshot({ root, depth, maxLength = LONGEST, format = 'aria', boxes = false, urls, prefix, rows } = {}) {
  frame({ prefix });
  snapshotCount += 1;
  const part = root !== undefined && root !== null && root !== '';
  const found = part ? resolveElement(root) : { element: documentBody(document) ?? rootElement(document) };
  if (found.error) return found;
  // A modal dialog makes everything else inert (HTML, "Inert subtrees").
  const modal = part ? undefined : query(document, 'dialog:modal').at(-1);
  const element = modal ?? found.element;
  if (!element) return { text: '', collapsed: 0, iframes: [], lines: 0 };
  if (format === 'html') return { ...cutText(htmlOf(element, {}), maxLength), collapsed: 0, iframes: [] };
  if (format === 'text') return { ...cutText(readableText(element), maxLength), collapsed: 0, iframes: [] };
  const size = part ? 'part' : 'page';
  const nodes = treeOf(element, {
    rows: rows === undefined || rows === null ? ROWS[size] : rows < 0 ? Infinity : Math.max(1, rows), part,
    texts: TEXTS[size], urls: urls ?? part, budget: part ? PART_RUN_BUDGET : RUN_BUDGET,
  });
  const iframes = [];
  const lines = linesOf(nodes, { depth: depth > 0 ? depth : Infinity, boxes, texts: TEXTS[size], iframes });
  if (modal) lines.push('- … the page behind this modal dialog is inert (snapshot target=body)');
  const cut = cutLines(lines, maxLength, nodes);
  return { ...cut, last: lastNumber, collapsed: collapsedIn(nodes), iframes: iframes.filter(({ line }) => line < cut.lines) };
}

/** The settled tree below an element; of the body its content, of anything else itself. */
function treeOf(element, { rows, texts, urls, budget }) {
  const walk = { focus: focused(), rows, texts, urls, budget: Number.isFinite(rows) ? budget : Infinity };
  const nodes = settled(walkElement(element, walk));
  for (const node of nodes) if (node.mark && !node.owner) node.owner = { ref: refOf(element) };
  forgetOwned();
  return numbered(nodes);
}

const collapsedIn = (nodes) => nodes.reduce((sum, node) => sum + (node.mark ? node.count : node.children ? collapsedIn(node.children) : 0), 0);

/** As many whole lines as fit; then how to go on: the named parts of the page that were not reached. */
function cutLines(lines, maxLength, nodes) {
  let length = 0;
  let shown = 0;
  while (shown < lines.length && length + lines[shown].length + 1 <= maxLength) {
    length += lines[shown].length + 1;
    shown += 1;
  }
  if (shown === lines.length) return { text: lines.join('\n'), lines: lines.length };
  const missing = partsAfter(lines, shown);
  const hint = missing.length ? `snapshot target=${missing[0]}` : 'snapshot with target, or a greater maxLength';
  const mark = `- … ${grouped(lines.length - shown)} of ${grouped(lines.length)} lines cut (${hint}; find)`;
  return { text: [...lines.slice(0, shown), mark].join('\n'), lines: shown, truncated: { shown, of: lines.length, hint } };
}

/** References of the containers that hold what was cut, the nearest first. */
function partsAfter(lines, shown) {
  const level = (line) => line.search(/\S/);
  const refs = [];
  let below = level(lines[shown]);
  for (let index = shown - 1; index >= 0 && below > 0; index -= 1) {
    if (level(lines[index]) < below) {
      below = level(lines[index]);
      const ref = /\[ref=([^\]]+)\]/.exec(lines[index]);
      if (ref) refs.push(ref[1]);
    }
  }
  return refs;
}

function cutText(text, maxLength) {
  if (text.length <= maxLength) return { text, lines: text.split('\n').length };
  const shown = clip(text, maxLength);
  const hint = 'snapshot with target, or a greater maxLength';
  return {
    text: `${shown}\n… ${grouped(text.length - maxLength)} of ${grouped(text.length)} characters cut (${hint})`,
    lines: shown.split('\n').length + 1, truncated: { shown: maxLength, of: text.length, hint },
  };
}

/** Lines of the whole snapshot, nothing collapsed, that hold a text or match a regular expression. */
function find({ text, regex, flags = '', maxResults = 50, prefix }) {
  frame({ prefix });
  snapshotCount += 1;
  let test;
  if (regex) {
    try {
      const pattern = new RegExp(regex, flags.replace(/[gy]/g, ''));
      test = (line) => pattern.test(line);
    } catch (problem) {
      return { error: 'regex', message: problem.message };
    }
  } else {
    const wanted = tidy(text ?? '').toLowerCase();
    test = (line) => line.toLowerCase().includes(wanted);
  }
  const body = documentBody(document);
  if (!body) return { lines: [], total: 0 };
  const nodes = treeOf(body, { rows: Infinity, texts: TEXTS.part, urls: true, budget: Infinity });
  const lines = linesOf(nodes, { texts: TEXTS.part }).map((line) => line.trim()).filter(test);
  return { lines: lines.slice(0, maxResults).map((line) => clip(line, 500)), total: lines.length };
}
