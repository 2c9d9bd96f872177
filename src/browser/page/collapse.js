// Long runs of similar siblings: the first few and the last represent all of them. A caller asks for the structure of
// the page, and row 1,374 has the same structure as row 3. Omitted rows are not walked, so a long table costs no more
// than a short one.

/** The longest run that is never cut, in siblings. */
const SHORTEST_RUN = 9;
/** The largest size of a run that is shown whole, such as a menu or a footer, in characters (about 400 tokens). */
const RUN_BUDGET = 1_500;
/** The share of a caller's length limit that one long run may use. */
const WIDE_SHARE = 0.7;

const NOUNS = {
  row: 'rows',
  listitem: 'items',
  option: 'options',
  treeitem: 'items',
  menuitem: 'items',
  article: 'articles',
  tab: 'tabs',
  term: 'terms and definitions',
  definition: 'terms and definitions',
  paragraph: 'paragraphs',
  link: 'links',
  button: 'buttons',
};

/**
 * Returns a key that is equal for repeating siblings: same role and, if the role is not specific, the same kind of
 * content.
 */
function shapeOf(element) {
  const tag = localName(element);
  const role = attribute(element, 'role');
  if (role || tag === 'tr' || tag === 'li' || tag === 'option') return role ?? tag;
  // Terms and definitions alternate.
  if (tag === 'dt' || tag === 'dd') return 'dl';
  // The first class names the component (`card`, `row`); the others describe states and looks.
  const classes = (attribute(element, 'class') ?? '').trim().split(/\s+/)[0];
  if (classes) return `${tag}.${classes}`;
  return `${tag}>${[...new Set([...childElements(element)].map(localName))].join()}`;
}

/**
 * Groups children into runs: `{ similar: true, members }` for a long run of one shape, `{ members }` for the nodes
 * between.
 */
function runsOf(nodes) {
  const elements = nodes.filter(isElement);
  if (elements.length <= SHORTEST_RUN) return [{ members: nodes }];
  const runs = [];
  for (const node of nodes) {
    if (!isElement(node) && !tidy(nodeValue(node) ?? '')) continue;
    const shape = isElement(node) ? shapeOf(node) : null;
    const last = runs.at(-1);
    if (last && shape !== null && last.shape === shape) last.members.push(node);
    else runs.push({ shape, members: [node] });
  }
  return runs.map(({ members }) => ({ similar: members.length > SHORTEST_RUN, members }));
}

/** True for a member that must be shown even if its run is cut: it has the focus or is the selected one. */
function mustBeShown(element, focus) {
  if (focus && (element === focus || within(focus, element))) return true;
  return (
    (element.selected === true && localName(element) === 'option') ||
    attribute(element, 'aria-selected') === 'true' ||
    (attribute(element, 'aria-current') ?? 'false') !== 'false'
  );
}

const isListed = (member) => isRendered(member) && !isExcluded(member);

/**
 * Walks a run: all of it if it is small, else `rows` members (more if `isWide`) from the one at `from`, the members
 * that must be shown, and the last one. `walkOne(element, at)` returns the nodes of the member at `at`; `size(nodes)`
 * returns their length in characters; `onCut(members, at)` returns the mark of the omitted members that begin at `at`.
 */
function walkRun(members, { rows, budget, isWide, focus, from, walkOne, size, onCut }) {
  const visible = members.filter(isListed);
  const shown = from ? [onCut(visible.slice(0, from), 0)] : [];
  let spent = 0;
  let index = from;
  // If a caller set a large limit, shows as many members as the budget allows, less a share for the content around the
  // run.
  const hasRoom = () => isWide && spent < budget * WIDE_SHARE;
  for (; index < visible.length && (index < from + rows || hasRoom()); index += 1) {
    const nodes = walkOne(visible[index], index);
    if (budget < Infinity) spent += size(nodes);
    shown.push(...nodes);
  }
  const rest = visible.length - index;
  if (rest <= 2 || (spent / (index - from)) * (visible.length - from) <= budget) {
    return shown.concat(visible.slice(index).flatMap((member, left) => walkOne(member, index + left)));
  }
  let skipped = [];
  const mark = () => {
    if (skipped.length) shown.push(onCut(skipped, index - skipped.length));
    skipped = [];
  };
  for (; index < visible.length; index += 1) {
    if (index === visible.length - 1 || mustBeShown(visible[index], focus)) {
      mark();
      shown.push(...walkOne(visible[index], index));
    } else {
      skipped.push(visible[index]);
      leaveOut(visible[index]);
    }
  }
  return shown;
}
