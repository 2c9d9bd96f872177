// One snapshot: which part of the page, how much of it, and in which format.

/** The number of members shown of a long run; more if the caller asked for one part only. */
const ROWS = { page: 6, part: 25 };
/** The longest text of one node in characters; more if the caller asked for one part only. */
const TEXTS = { page: 400, part: 4_000 };
const PART_RUN_BUDGET = 8_000;
/** The maximum number of parts that the mark of a cut snapshot names. */
const PARTS_NAMED = 4;

/**
 * @param root a target; without it the page. `from`: `{ row, run }`, a place in a long run (see `walkElement`);
 * `{ error: "place" }` if it does not exist. `depth` in levels, `maxLength` in characters. `isWide`: the caller set the
 * length. `canGrow`: the caller can get more with a greater length. `boxes`: `[box=x,y,width,height]` in CSS pixels of
 * the frame's viewport.
 */
function snapshot({ root, from, depth, maxLength, isWide, canGrow, format, boxes }) {
  snapshotCount += 1;
  const part = root !== undefined && root !== null && root !== '';
  const found = part ? resolveElement(root) : { element: documentBody(document) ?? rootElement(document) };
  if (found.error) return found;
  // A modal dialog makes everything else inert (HTML, "Inert subtrees").
  const modal = part ? undefined : query(document, 'dialog:modal').at(-1);
  const element = modal ?? found.element;
  if (!element) return { text: '', iframes: [] };
  if (format === 'html') return { ...cutText(htmlOf(element, {}), maxLength), iframes: [] };
  if (format === 'text') return { ...cutText(readableText(element), maxLength), iframes: [] };
  const size = part ? 'part' : 'page';
  const nodes = treeOf(element, {
    rows: ROWS[size],
    texts: TEXTS[size],
    budget: !part ? RUN_BUDGET : isWide ? maxLength : PART_RUN_BUDGET,
    isWide: part && isWide,
    from,
  });
  if (from && !from.isFound) return { error: 'place' };
  const [iframes, sources, members] = [[], [], []];
  const lines = linesOf(nodes, {
    depth: depth > 0 ? depth : Infinity,
    boxes,
    texts: TEXTS[size],
    iframes,
    sources,
    members,
  });
  if (modal) lines.push('- … the page behind this modal dialog is inert (snapshot target=body)');
  const cut = cutLines(lines, { element, sources, members, canGrow }, maxLength);
  return {
    ...cut,
    ...(!part && { acted: takeActed() }),
    iframes: iframes.filter(({ line }) => line < cut.lines),
  };
}

/** Returns the settled tree of an element: for the body its content, for any other element the element itself. */
function treeOf(element, { rows, texts, budget, isWide = false, from, hidden = false }) {
  const walk = { focus: focused(), rows, texts, budget, isWide, from, hidden };
  const nodes = settled(walkElement(element, walk));
  for (const node of nodes) if (node.mark && !node.owner) node.owner = { ref: refOf(element) };
  forgetOwned();
  return numbered(nodes);
}

/**
 * Returns as many whole lines as fit, followed by a mark with the targets that show the rest: the runs that the cut
 * interrupted, and the parts after them.
 */
function cutLines(lines, { element, sources, members, canGrow }, maxLength) {
  let length = 0;
  let shown = 0;
  while (shown < lines.length && length + lines[shown].length + 1 <= maxLength) {
    length += lines[shown].length + 1;
    shown += 1;
  }
  if (shown === lines.length) return { text: lines.join('\n'), lines: lines.length };
  const ways = waysOn(shown, { element, sources, members });
  const more = canGrow ? ' or a greater maxLength' : '';
  const hint = ways.length ? `snapshot target=${ways.join(', ')}${more}; or find` : `snapshot with a target${more}, or find`;
  const mark = `- … ${grouped(lines.length - shown)} of ${grouped(lines.length)} lines cut (${hint})`;
  return {
    text: [...lines.slice(0, shown), mark].join('\n'),
    lines: shown,
    truncated: { shown, of: lines.length, hint },
  };
}

/**
 * Returns the targets that show the lines from `shown` on: for each long run that the cut interrupted, inner ones
 * first, the place where it continues; then the parts after them. The place of a run's first shown member would return
 * the same lines, so its inner parts and the place after it are named instead.
 */
function waysOn(shown, { element, sources, members }) {
  let ways = [];
  let next = shown;
  let isWhole = false;
  for (let member = members[shown]; member; member = member.outer) {
    const { place, parent, isMark, outer } = member;
    // The container of this run would begin with the first members of the outer run.
    if (outer && parent === outer.parent) continue;
    const holder = parent ? refOf(parent.element, parent.role, parent.name) : refOf(element);
    const inRun = members.map((other) => memberIn(other, place.run));
    const isBefore = (other) => other && !other.isMark && other.place.row < place.row;
    const end = inRun.findLastIndex(Boolean) + 1;
    if (isMark || (!isWhole && inRun.slice(0, shown).some(isBefore))) {
      ways = [holder + placeOf(place)];
      next = end;
      isWhole = true;
    } else {
      const last = inRun.findLastIndex((other) => other?.place.row === place.row) + 1;
      ways.push(...partsAfter(sources.slice(next, last)));
      next = Math.max(next, last);
      if (inRun.slice(last).some(Boolean)) {
        ways.push(holder + placeOf({ ...place, row: place.row + 1 }));
        next = end;
      }
    }
  }
  return [...ways, ...partsAfter(sources.slice(next))];
}

/** Returns the member of a run that contains a member of it or of its inner runs. */
function memberIn(member, run) {
  let node = member;
  while (node && node.place.run !== run) node = node.outer;
  return node;
}

/** Returns the first containers among the nodes that were cut, outer ones only, such as `e40 (region "Orders")`. */
function partsAfter(nodes) {
  const parts = [];
  const inside = new Set();
  for (const node of nodes) {
    if (parts.length === PARTS_NAMED) break;
    if (!node?.children || node.compact || node.children.length < 2) continue;
    if (!inside.has(node))
      parts.push(`${refOf(node.element, node.role, node.name)} (${spoken(node.role, titleOf(node))})`);
    for (const child of node.children) inside.add(child);
  }
  return parts;
}

/** Returns the title of a part: its name, else the first heading or text in it. */
function titleOf(node) {
  if (node.name) return node.name;
  const [first] = node.children.filter((child) => textOf(child) !== undefined || child.role === 'heading');
  return clip((first && textOf(first)) ?? first?.name ?? '', 40);
}

/** Returns the beginning of a text, without a mark, because the caller may shorten it again. */
function cutText(text, maxLength) {
  const all = [...text].length;
  if (all <= maxLength) return { text, lines: text.split('\n').length };
  const shown = [...text].slice(0, maxLength).join('');
  return { text: shown, lines: shown.split('\n').length, truncated: { shown: maxLength, of: all } };
}

/** The longest line in a reply of `find`, in characters. */
const FOUND_LENGTH = 400;

/**
 * Returns the lines of the whole snapshot, with nothing collapsed, that contain a text (case is ignored) or match a
 * regular expression: `{ lines, total }`, or `{ error: "regex", message }`. A long line is cut around the match.
 */
function find({ text, regex, flags, maxResults }) {
  snapshotCount += 1;
  let search;
  if (regex) {
    try {
      const pattern = new RegExp(regex, flags.replace(/[gy]/g, ''));
      search = (line) => line.search(pattern);
    } catch (problem) {
      return { error: 'regex', message: problem.message };
    }
  } else {
    const wanted = tidy(text ?? '').toLowerCase();
    search = (line) => line.toLowerCase().indexOf(wanted);
  }
  const body = documentBody(document);
  if (!body) return { lines: [], total: 0 };
  const linesWith = (hidden) => {
    const sources = [];
    const tree = treeOf(body, { rows: Infinity, texts: TEXTS.part, budget: Infinity, hidden });
    return linesOf(tree, { texts: TEXTS.part, sources })
      .map((line) => line.trim())
      // The number of a ref is not a text of the page.
      .map((line, index) => [line, search(withoutRef(line)), sources[index]?.element])
      .filter(([, at]) => at >= 0);
  };
  const exposed = linesWith(false);
  // Content that is on the screen but hidden from assistive technology, such as the text of a code editor.
  const found = exposed.length ? exposed : linesWith(true);
  const times = new Map();
  for (const [line] of found) times.set(withoutRef(line), (times.get(withoutRef(line)) ?? 0) + 1);
  const shown = found.slice(0, maxResults).map(([line, at, element]) => {
    // Equal lines are distinguished by their surroundings.
    const around = element && times.get(withoutRef(line)) > 1 ? surrounding(element) : '';
    return excerpt(line, at) + (around ? ` in ${around}` : '');
  });
  return { lines: shown, total: found.length };
}

const withoutRef = (line) => line.replace(/ \[ref=\w+\]/g, '');

/** Returns the beginning of a long line, which identifies it, and the text around a place in it. */
function excerpt(line, at) {
  if (line.length <= FOUND_LENGTH) return line;
  const start = Math.max(0, at - FOUND_LENGTH / 2);
  const head = start > 0 ? `${line.slice(0, Math.min(start, 40))}… ` : '';
  return head + clip(line.slice(start), FOUND_LENGTH);
}
