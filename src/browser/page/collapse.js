// Long runs of similar siblings: the first few and the last stand for all. What is asked for is the page's structure,
// and row 1,374 has the same one as row 3. Rows left out are not walked, so that a long table costs no more than a
// short one.

/** A run of this many siblings or fewer is never cut. */
const SHORTEST_RUN = 9;
/** A run that fits into so many characters (about 400 tokens) is shown whole: a menu, a footer. */
const RUN_BUDGET = 1_500;
/** Of the length that a caller asks for, a long run takes so much. */
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

/** Equal for siblings that repeat: same role and, where the role says little, the same kind of content. */
function shapeOf(element) {
  const tag = localName(element);
  const role = attribute(element, 'role');
  if (role || tag === 'tr' || tag === 'li' || tag === 'option') return role ?? tag;
  // Terms and definitions take turns.
  if (tag === 'dt' || tag === 'dd') return 'dl';
  // The first class names the component (`card`, `row`); the others are its states and looks.
  const classes = (attribute(element, 'class') ?? '').trim().split(/\s+/)[0];
  if (classes) return `${tag}.${classes}`;
  return `${tag}>${[...new Set([...childElements(element)].map(localName))].join()}`;
}

/** Children in runs: `{ similar: true, members }` for long runs of one shape, `{ members }` for everything between. */
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

/** A member that must be seen though its run is cut: it has the focus or is the chosen one. */
function stands(element, focus) {
  if (focus && (element === focus || within(focus, element))) return true;
  return (
    (element.selected === true && localName(element) === 'option') ||
    attribute(element, 'aria-selected') === 'true' ||
    (attribute(element, 'aria-current') ?? 'false') !== 'false'
  );
}

const isListed = (member) => isRendered(member) && !isExcluded(member);

/**
 * Walks a run: all of it if it is small, else `rows` of it (more where `isWide`) beginning with the one at `from`, those that stand out, and the last.
 * `walkOne(element, at)` gives the nodes of the member at `at`; `size(nodes)` their length in characters; `onCut(members, at)` the mark
 * of members that are left out from the one at `at` on.
 */
function walkRun(members, { rows, budget, isWide, focus, from, walkOne, size, onCut }) {
  const visible = members.filter(isListed);
  const shown = from ? [onCut(visible.slice(0, from), 0)] : [];
  let spent = 0;
  let index = from;
  // Where a caller asked for much, as many as the budget has room for, with some left for what stands around them.
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
    if (index === visible.length - 1 || stands(visible[index], focus)) {
      mark();
      shown.push(...walkOne(visible[index], index));
    } else {
      skipped.push(visible[index]);
      leaveOut(visible[index]);
    }
  }
  return shown;
}
