// From the document to the tree of a snapshot: nodes `{ role, name, states, wanted, ref, cursor, properties, children,
// element }` (`wanted`: it shall have a reference; `places`: of what belongs to members of long runs, `{ row, run }` each, the innermost
// run first), texts, and marks for what was left out. Only what a reader needs stays: wrappers dissolve into their parent, a label does not repeat the name of its field, content does not repeat
// the name of its link.

/** Names longer than this are cut; the whole name is the element's text. */
const NAME_LIMIT = 160;
/** Between texts of different blocks, which must not grow together. */
const BREAK = Symbol('block');
/** Their content is not read: it is a value, a picture or another document. */
const LEAVES = new Set(
  'audio canvas embed iframe frame img input math meter object progress select svg textarea video'.split(' '),
);

/**
 * The nodes of `element` and below.
 * @param walk `{ focus, rows, budget, texts, from }`: the focused element, members shown of a long run, its budget in
 * characters, the longest text, where a long run begins: `{ row, run, isFound }`, the
 * number of its member, the number of the run (see `runNumber`; without it the first that is so long), and whether it was met.
 */
function walkElement(element, walk, inPointer = false, repeated = false) {
  const tag = localName(element);
  if (UNREADABLE.has(tag) || (isExcluded(element) && !walk.hidden)) return [];
  const style = styleOf(element);
  if (style.display === 'none' || (style.display !== 'contents' && !checkVisibility(element))) return [];
  const role = roleOf(element);
  if (tag === 'input' && element.type === 'hidden') return [];
  const seen = style.visibility === 'visible';
  const pointer = style.cursor === 'pointer';
  const isLeaf = LEAVES.has(tag) && element !== rootElement(document);
  const children = tag === 'svg' ? drawnParts(element, walk) : isLeaf ? [] : walkChildren(element, walk, pointer, seen);
  const flow = flowOf(style.display);
  if (!seen) return spliced(children, flow);
  // A frame of no size counts visitors.
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

/** Named parts of a drawing that can be acted on, such as the bars of a chart. */
function drawnParts(svg, walk) {
  const parts = query(svg, '[tabindex], [onclick], [role], a').flatMap((element) => {
    const role = roleOf(element);
    const name = labelOf(element, role);
    const style = styleOf(element);
    const isPart = name && isVisible(element) && !isExcluded(element) && isActionable(element, role, style, false);
    const states = statesOf(element, role, walk.focus);
    return isPart ? [{ role, name, states, cursor: false, properties: [], children: [], element, ref: null, wanted: true }] : [];
  });
  const shown = walk.rows * 2;
  const left = parts.length - shown;
  if (left <= 0) return parts;
  return [...parts.slice(0, shown), { mark: true, count: left, noun: 'parts', owner: null }];
}

/**
 * Interactive, focusable, clickable by its cursor or handler, a picture made by script, scrolled on its own, another
 * document.
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
      // Below the body stand the application and its popups, which come and go: no cards, though they look alike.
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
 * The nodes of a member of a long run, each with its place. Where its texts stand in blocks of their own they become nodes; where
 * they share a line with those of other members they have no place.
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

/** The text of a part of a node, if it is one. */
const textOf = (part) => (typeof part === 'string' ? part : part.isText ? part.children[0] : undefined);

/** Parent -> shape and place among the runs of that shape -> the number of the run, which no other run of this frame has. */
const runNumbers = new WeakMap();
let lastRun = 0;

function runNumber(parent, key) {
  const numbers = runNumbers.get(parent) ?? new Map();
  runNumbers.set(parent, numbers);
  if (!numbers.has(key)) numbers.set(key, (lastRun += 1));
  return numbers.get(key);
}

/** Whether a place lies in this run. The cells of a row are no rows, however many they are. */
function isPlaceOf(from, parent, key, members) {
  if (!from || from.isFound) return false;
  const isLong = from.row < members.filter(isListed).length;
  return isLong && (from.run ? runNumbers.get(parent)?.get(key) === from.run : roleOf(parent) !== 'row');
}

/** Element -> how many of its siblings look like it. Wrappers of fields repeat in every form and are no groups. */
function countShapes(nodes) {
  const shapes = new Map();
  const elements = nodes.filter((node) => isElement(node) && matches(node, 'div, article, section, li'));
  for (const element of elements) {
    const shape = shapeOf(element);
    shapes.set(shape, [...(shapes.get(shape) ?? []), element]);
  }
  return new Map([...shapes.values()].flatMap((members) => members.map((member) => [member, members.length])));
}

/** Shown where aria-owns of another element puts it. Looked up once per snapshot, since nearly no page uses it. */
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
/** Elements are held for the time of a snapshot only. */
function forgetOwned() {
  owned = NOTHING_OWNED;
}
let snapshotCount = 0;

/** A wrapper that says nothing. A repeated one with several parts and something to act on is a card, and stays. */
function dissolves(role, element, repeated, children) {
  if (role === 'rowgroup') return true;
  if (role === 'img') return !labelOf(element, role);
  if (!INLINE.has(role)) return false;
  if (role === 'generic' && labelOf(element, role)) return false;
  if (!repeated) return true;
  const parts = settled(children);
  return parts.length < 2 || !parts.some((part) => part.wanted);
}

/** What stands between an element's text and the text around it: nothing, a space (`inline-block`), or a break. */
function flowOf(display) {
  if (isInline(display)) return '';
  return display.startsWith('inline') ? ' ' : BREAK;
}

/** In the parent's place; wrappers inside wrappers do not heap up breaks. */
function spliced(children, flow) {
  if (flow === '') return children;
  if (children[0] !== flow) children.unshift(flow);
  if (children.at(-1) !== flow) children.push(flow);
  return children;
}

/** Text pieces joined up to the next break or node, empty ones gone. */
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

/** A label of a visible field is its field's name already; one of a hidden field is what can be clicked. */
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

/** `- /url:` and `- /placeholder:`, where they add to the name. */
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

/** What a leaf shows as its content. */
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
 * The text of a code editor whose field has no box: what is drawn around it, line by line as they stand on the screen, is hidden from
 * assistive technology.
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

/** Options have no boxes while the list is closed, so that visibility says nothing about them. */
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
