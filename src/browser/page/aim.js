// Finds the point to press so that an element receives the press: in view, at rest, enabled, and not covered.

/**
 * The longest time, in milliseconds, that an element may take to appear, to be enabled, to come to rest and to be
 * uncovered.
 */
const PATIENCE = 1_000;
/**
 * An element that covers another counts as part of the same control if their common container has at most this many
 * times the area of the covered one.
 */
const OWN_AREA = 4;
/** Ways to scroll an element into view. Another alignment helps if a sticky header or a bar covers the element. */
const ALIGNMENTS = [null, 'center', 'end', 'start'];

/**
 * Returns `{ ref, x, y, box: { x, y, width, height } }` in CSS pixels of this frame's viewport, or `{ error }`:
 * "invisible", "disabled", "moving", "outside", `{ error: "covered", by }`, or an error of `resolve`.
 * @param position `{ x, y }` from the element's upper left corner; `force` skips all checks except that of being in
 * view; `expects` is what the pointer does there, see `expectPointer`.
 */
async function aim(target, { position, force, expects }) {
  const end = performance.now() + PATIENCE;
  let reported;
  for (let attempt = 0; ; attempt += 1) {
    const found = resolveElement(target);
    if (found.error && found.error !== 'none') return found;
    const align = ALIGNMENTS[attempt % ALIGNMENTS.length];
    const { on, ...result } = found.error ? found : await aimOrStandIn(found.element, { position, force, align });
    if (!result.error) {
      if (expects === 'move') watchPopups(found.element, true);
      if (expects) expectPointer(expects, { ...found, element: on });
      return {
        ref: refOf(found.element, found.role, found.name),
        role: found.role,
        name: clip(found.name, NAME_LIMIT),
        ...result,
      };
    }
    // Tries the other alignments first, without waiting; then waits, because the page may still be changing.
    const realign = result.error === 'covered' || result.error === 'outside';
    // The element that covers the target at its first position tells more than a header that covers it elsewhere.
    reported = realign && attempt % ALIGNMENTS.length > 0 && reported?.error === 'covered' ? reported : result;
    if (realign && attempt < ALIGNMENTS.length - 1) continue;
    const left = end - performance.now();
    if (left <= 0) return reported;
    await nextChange(left);
    await nextFrame();
  }
}

/**
 * Aims at an element, or for a field that its page has hidden at the widget that contains it, or at its label. Returns
 * the element that receives the press as `on`.
 */
async function aimOrStandIn(element, how) {
  const isInput = localName(element) === 'input';
  const widget = isInput && !how.force && !isDisabled(element) ? widgetAround(element) : undefined;
  // A transparent field that covers its widget gets the press itself; a tiny one is there for the keyboard only.
  // Most pages open a file chooser from a label, or from a script that any press near the field starts.
  const isFile = isInput && element.type === 'file';
  const hidden = widget && boundingBox(hidingPart(element));
  const isTiny = widget && !isFile && Math.min(hidden.width, hidden.height) <= TINY;
  const onWidget = isTiny ? await attemptAim(widget, how) : { error: 'invisible' };
  if (!onWidget.error) return { ...onWidget, on: widget };
  const result = await attemptAim(element, how);
  if (!result.error || result.error === 'disabled' || !isInput) return { ...result, on: element };
  const label = [...(element.labels ?? [])].find(isVisible);
  for (const standIn of isFile ? [label, widget] : [widget, label]) {
    const onIt = standIn ? await attemptAim(standIn, how) : result;
    if (!onIt.error) return { ...onIt, on: standIn };
  }
  return { ...result, on: element };
}

/** The largest side of a field that is too small for the pointer, in CSS pixels. */
const TINY = 8;
/** The largest height of a widget of one line, in CSS pixels, and the number of its wrappers. */
const WIDGET_HEIGHT = 80;
const WIDGET_LEVELS = 3;

/**
 * Returns the visible widget around a hidden field, such as the drawn part of a switch; undefined if a label in it is
 * what people press, or if it contains other fields. A label elsewhere does not replace it: its press reaches the field
 * too, so that a widget which handles both is switched twice.
 */
function widgetAround(field) {
  const widget = flatParent(hidingPart(field) ?? rootElement(document));
  if (!widget || [documentBody(document), rootElement(document)].includes(widget)) return undefined;
  // A second field that cannot be reached only holds the value for the form.
  const isOther = (other) => other !== field && !isInExcluded(other) && !(hidingPart(other) && other.tabIndex < 0);
  const isWidget =
    boundingBox(widget).height <= WIDGET_HEIGHT &&
    !query(widget, 'a, button, input, label, select, textarea').some(isOther) &&
    query(widget, '*').some((part) => !within(field, part) && isVisible(part));
  return isWidget ? widget : undefined;
}

/** Returns the outermost of an element and its wrappers that hides it; undefined if it can be seen. */
function hidingPart(element) {
  const parts = [element];
  while (parts.length < WIDGET_LEVELS && flatParent(parts.at(-1))) parts.push(flatParent(parts.at(-1)));
  return parts.findLast(isVisuallyHidden);
}

/** True for an element that people cannot see although it is rendered: transparent, of at most one pixel, or clipped. */
function isVisuallyHidden(element) {
  if (!isVisible(element)) return true;
  const { width, height } = boundingBox(element);
  const { opacity, clip, clipPath } = styleOf(element);
  const isClipped = /^rect\(([01]px)(?:,? \1){3}\)$/.test(clip) || /^inset\((?:50|100)%\)/.test(clipPath);
  return Math.min(width, height) <= 1 || opacity === '0' || isClipped;
}

async function attemptAim(element, { position, force, align }) {
  if (!isConnected(element)) return { error: 'invisible' };
  if (!force && !isVisible(element)) return { error: 'invisible' };
  if (!force && isDisabled(element)) return { error: 'disabled' };
  if (align || !inView(pointOf(element, position))) {
    scrollIntoView(element, { behavior: 'instant', block: align ?? 'center', inline: align ?? 'nearest' });
  }
  if (!force && !(await isAtRest(element))) return { error: 'moving' };
  const point = pointOf(element, position);
  if (!point || !inView(point)) return { error: 'outside' };
  const { x, y, width, height } = boundingBox(element);
  const aimed = { ...point, box: { x, y, width, height } };
  if (force) return aimed;
  const hit = hitAt(point);
  if (!receives(hit, element)) return covered(hit, element);
  noteActed(element);
  return aimed;
}

const inView = (point) => point && point.x >= 0 && point.y >= 0 && point.x < innerWidth && point.y < innerHeight;

/**
 * Returns the requested position, or the middle of the first box with an area: a link may be broken over several lines.
 */
function pointOf(element, position) {
  if (position) {
    const box = boundingBox(element);
    return { x: box.x + position.x, y: box.y + position.y };
  }
  const box = [...clientRects(element)].find(({ width, height }) => width > 0 && height > 0) ?? slottedBox(element);
  if (!box) return null;
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  return isShape(element) ? paintedPoint(element, boundingBox(element), middle) : middle;
}

/** The number of points in each direction, and along its outline, at which a shape is looked for. */
const SHAPE_POINTS = 9;

/** Returns a point at which a shape gets the press: the middle of an arc or of a group is often empty. */
function paintedPoint(element, box, middle) {
  const isHit = (point) => inView(point) && within(hitAt(point), element);
  if (!inView(middle) || isHit(middle)) return middle;
  const steps = Array.from({ length: SHAPE_POINTS }, (_, step) => (step + 0.5) / SHAPE_POINTS);
  const at = (across, down) => ({ x: box.x + box.width * across, y: box.y + box.height * down });
  const grid = steps.flatMap((down) => steps.map((across) => at(across, down)));
  return grid.find(isHit) ?? outlinePoints(element, steps).find(isHit) ?? middle;
}

/** Returns points of the outline of a line, a path or another basic shape. */
function outlinePoints(element, steps) {
  const matrix = element instanceof SVGGeometryElement && element.getScreenCTM();
  if (!matrix) return [];
  const length = element.getTotalLength();
  return steps.map((step) => {
    const { x, y } = element.getPointAtLength(length * step).matrixTransform(matrix);
    return { x, y };
  });
}

/** Returns the box of the first visible child: an element with `display: contents` has no box of its own. */
function slottedBox(element) {
  const child = flatChildren(element).find((node) => isElement(node) && isVisible(node));
  return child ? boundingBox(child) : null;
}

/**
 * The number of consecutive frames in which the box of an animated element must not change, and the number of frames
 * checked.
 */
const STILL_FRAMES = 2;
const MOST_FRAMES = 30;
/** The number of frames that a transparent element may take to begin to fade in. */
const FADING_FRAMES = 6;

/**
 * True if nothing animates the element, or if it has the same box in three frames. Before an animation begins, the box
 * does not change either, so those frames do not count. A page that draws no frames moves nothing on the screen. An
 * element that a script moves without an animation moves once per frame: it is pressed within that frame.
 */
async function isAtRest(element) {
  for (let frames = 0; !animationsOf(element).length; frames += 1) {
    // A dialog is placed before it begins to fade in and grow, and is transparent until then.
    if (frames === FADING_FRAMES || !isInTransparent(element) || !(await drawnFrame())) return true;
  }
  const same = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
  let box = boundingBox(element);
  let still = 0;
  for (let frames = 0; frames < MOST_FRAMES; frames += 1) {
    if (!(await drawnFrame())) return true;
    const running = animationsOf(element);
    if (!running.length) return true;
    const now = boundingBox(element);
    still = same(box, now) && !running.some(({ pending }) => pending) ? still + 1 : 0;
    if (still >= STILL_FRAMES) return true;
    box = now;
  }
  return false;
}

/**
 * True if an ancestor of the element is transparent. Fields that are transparent themselves remain so and do not count.
 */
function isInTransparent(element) {
  for (let node = flatParent(element); node; node = flatParent(node)) if (styleOf(node).opacity === '0') return true;
  return false;
}

/** Returns the running animations of an element and of its ancestors. */
const animationsOf = (element) =>
  animations(document).filter(
    ({ playState, effect }) => playState === 'running' && effect?.target && within(element, effect.target),
  );

/** Returns the element at a point, also inside shadow roots. */
function hitAt({ x, y }) {
  let root = document;
  let hit = null;
  for (;;) {
    const inner = (root === document ? Document.prototype : ShadowRoot.prototype).elementFromPoint.call(root, x, y);
    if (!inner || inner === hit) return hit && shadowRoot(hit) ? (slotAt(hit, { x, y }) ?? hit) : hit;
    hit = inner;
    if (!shadowRoot(hit)) return hit;
    root = shadowRoot(hit);
  }
}

/** Returns the slot whose text lies at a point. Chromium reports the host instead, which is the parent of the text. */
function slotAt(host, { x, y }) {
  const isThere = (node) => {
    const range = createRange(document);
    range.selectNodeContents(node);
    return [...range.getClientRects()].some((box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom);
  };
  const text = childNodes(host).find((node) => isText(node) && textSlot(node) && isThere(node));
  return text && textSlot(text);
}

/**
 * True if a press on `hit` reaches the element: `hit` is the element, is inside it, or is the label that passes the
 * press on.
 */
function receives(hit, element) {
  if (!hit) return false;
  if (within(hit, element)) return true;
  for (let node = hit; node; node = flatParent(node)) {
    if (localName(node) === 'label' && node.control === element) return true;
    // A child without pointer events inside a larger control, such as the icon of a button: the control gets the press.
    if (node !== hit && node === element) return true;
  }
  if (localName(element) === 'label' && element.control && within(hit, element.control)) return true;
  // A text inside a button that has `pointer-events: none`: the button gets the press.
  return within(element, hit) && styleOf(element).pointerEvents === 'none' && PRESSABLE.has(roleOf(hit));
}

/**
 * Returns the error for an element that another one covers, with the outermost element that is not an ancestor of ours.
 * If only ancestors are hit, the element is clipped away.
 */
function covered(hit, element) {
  if (!hit) return { error: 'outside' };
  let over = hit;
  while (flatParent(over) && !within(element, flatParent(over))) over = flatParent(over);
  if (within(element, over)) return { error: 'covered', by: tagOf(over), clipped: true };
  // A placeholder over its own field: the common container is the control and takes the press.
  const control = flatParent(over);
  const area = (part) => boundingBox(part).width * boundingBox(part).height;
  const isOwn = isTyped(element) && control && control !== documentBody(document) && area(control) <= OWN_AREA * area(element);
  return { error: 'covered', by: tagOf(over) + (isOwn ? ` in ${tagOf(control)} [ref=${refOf(control)}]` : '') };
}

/**
 * Returns the offset and scale of the document inside an iframe: `{ x, y, width, height, scaleX, scaleY }` in this
 * frame's viewport, with `left` and `top` of the iframe itself.
 */
function frameBox(target) {
  const found = resolveElement(target);
  if (found.error) return found;
  const { element } = found;
  const box = boundingBox(element);
  const scaleX = element.offsetWidth ? box.width / element.offsetWidth : 1;
  const scaleY = element.offsetHeight ? box.height / element.offsetHeight : 1;
  const style = styleOf(element);
  const left = element.clientLeft + parseFloat(style.paddingLeft);
  const top = element.clientTop + parseFloat(style.paddingTop);
  const width = element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const height = element.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  return {
    x: box.x + left * scaleX,
    y: box.y + top * scaleY,
    width: width * scaleX,
    height: height * scaleY,
    scaleX,
    scaleY,
    left: box.x,
    top: box.y,
  };
}
