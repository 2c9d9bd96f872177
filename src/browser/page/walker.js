// Converts the document to the tree of a snapshot: nodes `{ role, name, states, wanted, ref, cursor, properties,
// children, element }`, texts, and marks for omitted nodes. `wanted`: the node gets a reference. `places`: `{ row, run
// }` for each member of a long run that contains the node, the innermost run first. Only what a reader needs remains:
// wrappers are replaced by their children, a label does not repeat the name of its field, and content does not repeat
// the name of its link.

/** The longest name in characters. A longer one is cut; the whole name is the element's text. */
const NAME_LIMIT = 160;
/** Separates texts of different blocks, which must not be joined. */
const BREAK = Symbol('block');
/** Elements whose content is not read: it is a value, a picture or another document. */
const LEAVES = new Set(
  'audio canvas embed iframe frame img input math meter object progress select svg textarea video'.split(' '),
);

/**
 * Returns the nodes of `element` and its descendants.
 * @param walk `{ focus, rows, budget, texts, from }`: the focused element, the members shown of a long run, its budget
 * in characters, the longest text, and the place where a long run begins, `{ row, run, isFound }`: the number of its
 * member, the number of the run (see `runNumber`; without it the first run that is long enough), and whether the walk
 * has reached it.
 */
function walkElement(element, walk, inPointer = false, repeated = false) {
  const tag = localName(element);
  if (UNREADABLE.has(tag) || (isExcluded(element) && !walk.hidden)) return [];
  const style = styleOf(element);
  if (style.display === 'none' || (style.display !== 'contents' && !checkVisibility(element))) return [];
  // A line break separates words, as in names.
  if (tag === 'br') return [' '];
  const role = roleOf(element);
  if (tag === 'input' && element.type === 'hidden') return [];
  const seen = style.visibility === 'visible';
  const pointer = style.cursor === 'pointer';
  const isLeaf = LEAVES.has(tag) && element !== rootElement(document);
  const children = tag === 'svg' ? drawingNodes(element, walk, pointer) : isLeaf ? [] : walkChildren(element, walk, pointer, seen);
  const flow = flowOf(style.display);
  if (!seen) return spliced(children, flow);
  // A frame without a size only counts visitors.
  if (role === 'iframe' && !isVisible(element)) return [];
  const clickable = pointer && !inPointer;
  const acts = isActionable(element, role, style, clickable);
  if (tag === 'label') return labelNodes(element, role, children, walk, acts, clickable, flow);
  if (!acts && dissolves(role, element, repeated, children)) return spliced(children, flow);
  const node = {
    role,
    name: labelOf(element, role),
    states: statesOf(element, role, walk.focus),
    cursor: clickable && !INTERACTIVE.has(role),
    properties: propertiesOf(element, role, tag),
    children: settled(children),
    element,
    ref: null,
    wanted: false,
  };
  node.wanted = acts || (node.name !== '' && LANDMARKS.has(role));
  takeContent(node, tag, walk);
  return simplified(node);
}

/**
 * True for an element that is interactive, focusable, clickable by its cursor or handler, a picture made by a script,
 * scrollable on its own, or another document.
 */
function isActionable(element, role, style, clickable) {
  const interactive = INTERACTIVE.has(role) && role !== 'gridcell' && localName(element) !== 'option';
  const pressedByPlace = ['canvas', 'video', 'audio'].includes(localName(element));
  return (
    interactive ||
    pressedByPlace ||
    role === 'iframe' ||
    clickable ||
    hasAttribute(element, 'onclick') ||
    Number(attribute(element, 'tabindex') ?? -1) >= 0 ||
    (isEditable(element) && isEditingHost(element)) ||
    isScrollable(element, style)
  );
}

function walkChildren(element, walk, pointer, seen) {
  const children = [];
  const before = seen ? pseudoText(element, '::before') : '';
  if (before) children.push(before);
  const adopted = byIds(element, 'aria-owns').filter((other) => !within(element, other));
  const nodes = [
    ...flatChildren(element).filter((child) => isText(child) || (isElement(child) && !isOwned(child))),
    ...adopted,
  ];
  const shapesOfRuns = [];
  for (const run of runsOf(nodes)) {
    if (run.similar) {
      const shape = shapeOf(run.members[0]);
      const key = `${shape} ${shapesOfRuns.filter((other) => other === shape).length}`;
      shapesOfRuns.push(shape);
      const isMeant = isPlaceOf(walk.from, element, key, run.members);
      if (isMeant) walk.from.isFound = true;
      children.push(
        ...walkRun(run.members, {
          rows: walk.rows,
          budget: walk.budget,
          isWide: walk.isWide && (!walk.from || isMeant),
          focus: walk.focus,
          from: isMeant ? walk.from.row : 0,
          size: walk.isWide ? weightOf : sizeOf,
          walkOne: (member, row) =>
            placed(walkElement(member, walk, pointer, true), member, { row, run: runNumber(element, key) }),
          onCut: (left, row) => ({
            mark: true,
            place: { row, run: runNumber(element, key) },
            count: left.length,
            noun: NOUNS[roleOf(left[0])] ?? 'similar items',
            owner: null,
          }),
        }),
      );
    } else {
      // The children of the body are the application and its popups, which come and go: they look alike but are not
      // cards.
      const shapes = element === documentBody(document) ? new Map() : countShapes(run.members);
      for (const child of run.members) {
        if (isText(child)) {
          if (seen) children.push(nodeValue(child));
        } else {
          children.push(...walkElement(child, walk, pointer, shapes.get(child) > 1));
        }
      }
    }
  }
  const after = seen ? pseudoText(element, '::after') : '';
  if (after) children.push(after);
  return children;
}

/**
 * Adds its place to each node of a member of a long run. Texts in blocks of their own become nodes; texts that share a
 * line with those of other members get no place.
 */
function placed(nodes, element, place) {
  const isBlock = nodes[0] === BREAK;
  const asNode = (text) => ({
    role: 'text',
    isText: true,
    name: '',
    states: [],
    cursor: false,
    properties: [],
    children: [text],
    element,
    ref: null,
    wanted: false,
  });
  const parts = isBlock ? settled(nodes).map((part) => (typeof part === 'string' ? asNode(part) : part)) : nodes;
  for (const part of parts) if (part.children || part.mark) part.places = [...(part.places ?? []), place];
  return parts;
}

/** Returns the text of a part of a node, if the part is a text. */
const textOf = (part) => (typeof part === 'string' ? part : part.isText ? part.children[0] : undefined);

/** Parent -> shape, and index among the runs of that shape -> the number of the run, which is unique in this frame. */
const runNumbers = new WeakMap();
let lastRun = 0;

function runNumber(parent, key) {
  const numbers = runNumbers.get(parent) ?? new Map();
  runNumbers.set(parent, numbers);
  if (!numbers.has(key)) numbers.set(key, (lastRun += 1));
  return numbers.get(key);
}

/** True if a place is in this run. Cells are not rows, however many a row has. */
function isPlaceOf(from, parent, key, members) {
  if (!from || from.isFound) return false;
  const isLong = from.row < members.filter(isListed).length;
  return isLong && (from.run ? runNumbers.get(parent)?.get(key) === from.run : roleOf(parent) !== 'row');
}

/**
 * Returns a map from each element to the number of siblings that look like it. Wrappers of fields repeat in every form
 * and are not groups.
 */
function countShapes(nodes) {
  const shapes = new Map();
  const elements = nodes.filter((node) => isElement(node) && matches(node, 'div, article, section, li'));
  for (const element of elements) {
    const shape = shapeOf(element);
    shapes.set(shape, [...(shapes.get(shape) ?? []), element]);
  }
  return new Map([...shapes.values()].flatMap((members) => members.map((member) => [member, members.length])));
}

/**
 * True if aria-owns of another element shows this one in another place. Looked up once per snapshot, since nearly no
 * page uses it.
 */
function isOwned(element) {
  if (owned.at !== snapshotCount) {
    const roots = [document, ...shadowRoots()];
    const pairs = roots
      .flatMap((root) => query(root, '[aria-owns]'))
      .map((owner) => [owner, byIds(owner, 'aria-owns')]);
    owned = {
      at: snapshotCount,
      elements: new Set(pairs.flatMap(([owner, others]) => others.filter((other) => !within(owner, other)))),
    };
  }
  return owned.elements.has(element);
}

const NOTHING_OWNED = { at: -1, elements: new Set() };
let owned = NOTHING_OWNED;
/** Releases the elements, which are held only during a snapshot. */
function forgetOwned() {
  owned = NOTHING_OWNED;
}
let snapshotCount = 0;

/**
 * True for a wrapper that adds nothing. A repeated one with several parts and something to act on is a card and is
 * kept.
 */
function dissolves(role, element, repeated, children) {
  if (role === 'rowgroup') return true;
  if (role === 'img') return !labelOf(element, role);
  if (!INLINE.has(role)) return false;
  if (role === 'generic' && labelOf(element, role)) return false;
  if (!repeated) return true;
  const parts = settled(children);
  return parts.length < 2 || !parts.some((part) => part.wanted);
}

/**
 * Returns the separator between an element's text and the text around it: none, a space (`inline-block`), or a break.
 */
function flowOf(display) {
  if (isInline(display)) return '';
  return display.startsWith('inline') ? ' ' : BREAK;
}

/** Puts the children in the parent's place; nested wrappers do not add several breaks. */
function spliced(children, flow) {
  if (flow === '') return children;
  if (children[0] !== flow) children.unshift(flow);
  if (children.at(-1) !== flow) children.push(flow);
  return children;
}

/** Joins texts up to the next break or node, and removes empty ones. */
function settled(children) {
  const result = [];
  let text = '';
  const flush = () => {
    const whole = tidy(text);
    if (whole) result.push(whole);
    text = '';
  };
  for (const child of children) {
    if (typeof child === 'string') {
      text += child;
    } else if (child === BREAK) {
      flush();
    } else {
      flush();
      result.push(child);
    }
  }
  flush();
  return result;
}

/**
 * Returns nothing for the label of a visible field, which is the field's name already; the label of a hidden field can
 * be clicked and is kept.
 */
function labelNodes(element, role, children, walk, acts, clickable, flow) {
  const control = element.control;
  const parts = settled(children);
  if (control && isRendered(control)) {
    const name = nameOf(control);
    return spliced(
      parts.filter((part) => typeof part !== 'string' || !name.includes(part)),
      flow,
    );
  }
  if (!control && !acts) return spliced(children, flow);
  return [
    {
      role,
      name: '',
      states: [],
      cursor: clickable,
      properties: [],
      children: parts,
      element,
      ref: null,
      wanted: !parts.some((part) => part.wanted),
    },
  ];
}

/** Returns `- /url:` and `- /placeholder:` if they add to the name. */
function propertiesOf(element, role, tag) {
  const properties = [];
  if (role === 'link' && !nameOf(element, role)) {
    const url = attribute(element, 'href');
    if (url) properties.push(['url', clip(url.startsWith('data:') ? 'data:…' : url, 200)]);
  }
  const placeholder = tag === 'input' || tag === 'textarea' ? attribute(element, 'placeholder') : null;
  if (placeholder && tidy(placeholder) !== nameOf(element, role) && !element.value)
    properties.push(['placeholder', tidy(placeholder)]);
  return properties;
}

/** Sets the content that a leaf shows. */
function takeContent(node, tag, walk) {
  const { element, role } = node;
  if (tag === 'select') {
    node.children = optionNodes(element, walk);
  } else {
    const isCode = (tag === 'textarea' || element.editContext) && !isVisible(element);
    const value = isCode ? drawnBy(element) : valueOf(element, role);
    if (value !== undefined && tidy(value)) node.children = [clip(tidy(value), walk.texts)];
  }
}

/**
 * Returns the text of a code editor whose field has no box: the text drawn around it, line by line as on the screen, is
 * hidden from assistive technology.
 */
function drawnBy(field) {
  const isText = (element) => /[^\d\s]/.test(textContent(element)) && isVisible(element);
  let node = flatParent(field);
  for (let steps = 0; steps < 3 && node; steps += 1, node = flatParent(node)) {
    const [drawn] = query(node, '[aria-hidden="true"]')
      .filter(isText)
      .sort((a, b) => textContent(b).length - textContent(a).length);
    if (!drawn) continue;
    const lines = [...childElements(drawn)].map((line) => [boundingBox(line).y, textContent(line)]);
    return lines.sort((a, b) => a[0] - b[0]).map(([, text]) => text).join('\n');
  }
  return undefined;
}

/**
 * Returns the nodes of options, which have no boxes while the list is closed, so their visibility is not considered.
 */
function optionNodes(select, walk) {
  const option = (element) => ({
    role: 'option',
    name: tidy(element.label),
    properties: [],
    children: [],
    element,
    ref: null,
    wanted: false,
    cursor: false,
    states: [...(element.disabled ? ['disabled'] : []), ...(element.selected ? ['selected'] : [])],
  });
  const options = [...select.options].filter((element) => !element.hidden);
  if (options.length <= SHORTEST_RUN) return options.map(option);
  const nodes = [];
  let left = 0;
  const mark = () => {
    if (left) nodes.push({ mark: true, count: left, noun: 'options', owner: null });
    left = 0;
  };
  for (const [index, element] of options.entries()) {
    if (index >= walk.rows && index < options.length - 1 && !element.selected) {
      left += 1;
    } else {
      mark();
      nodes.push(option(element));
    }
  }
  return nodes;
}
