// Long runs of similar siblings: the first few and the last stand for all. What is asked for is the page's structure,
// and row 1,374 has the same one as row 3. Rows left out are not walked, so that a long table costs no more than a
// short one.

/** A run of this many siblings or fewer is never cut. */
const SHORTEST_RUN = 9;
/** A run that fits into so many characters (about 400 tokens) is shown whole: a menu, a footer. */
const RUN_BUDGET = 1_500;

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

/**
 * Walks a run: all of it if it is small, else the first `rows`, those that stand out, and the last.
 * `walkOne(element)` gives a member's nodes; `size(nodes)` their length in characters.
 */
function walkRun(members, { rows, budget, focus, walkOne, size, onCut }) {
  const visible = members.filter((member) => isRendered(member) && !isExcluded(member));
  const shown = [];
  let spent = 0;
  let index = 0;
  for (; index < visible.length && index < rows; index += 1) {
    const nodes = walkOne(visible[index]);
    spent += size(nodes);
    shown.push(...nodes);
  }
  const rest = visible.length - index;
  if (rest <= 2 || (spent / rows) * visible.length <= budget) {
    return shown.concat(visible.slice(index).flatMap(walkOne));
  }
  let skipped = [];
  const mark = () => {
    if (skipped.length) shown.push(onCut(skipped));
    skipped = [];
  };
  for (; index < visible.length; index += 1) {
    if (index === visible.length - 1 || stands(visible[index], focus)) {
      mark();
      shown.push(...walkOne(visible[index]));
    } else {
      skipped.push(visible[index]);
      leaveOut(visible[index]);
    }
  }
  return shown;
}
