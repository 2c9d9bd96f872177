// Finds exactly one element for the target that a caller names: a reference, a selector, a role and a name, or a text.

const CANDIDATES = 8;
const ROLE_TARGET = /^role=([a-z]+)(?:\[name=(?:"((?:[^"\\]|\\.)*)"|\/(.*)\/([a-z]*))(?:\s+[is])?\])?$/;
/** Roles of elements that can be named by a text inside them. */
const PRESSABLE = new Set(
  'button checkbox link menuitem menuitemcheckbox menuitemradio option radio switch tab treeitem'.split(' '),
);

/** Yields every element, also those of open shadow roots. */
function* everyElement() {
  yield* query(document, '*');
  for (const shadow of shadowRoots()) yield* query(shadow, '*');
}

/** Parses a target into one of `{ ref }`, `{ selector }`, `{ text }`, `{ role, name?, pattern? }`. */
function parsedTarget(target) {
  if (typeof target !== 'string') {
    if (target?.ref) return { ref: target.ref };
    return target?.role
      ? { role: target.role, name: target.name ?? target.text }
      : { text: target?.text ?? target?.name ?? '' };
  }
  const trimmed = target.trim();
  if (isRef(trimmed)) return { ref: trimmed };
  if (trimmed.startsWith('text='))
    return {
      text: trimmed
        .slice(5)
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2'),
    };
  if (!trimmed.startsWith('role=')) return { selector: trimmed.replace(/^css=/, '') };
  const parts = ROLE_TARGET.exec(trimmed);
  if (!parts) return { selector: trimmed };
  const [, role, name, source, flags] = parts;
  if (source !== undefined) return { role, pattern: new RegExp(source, flags) };
  return { role, name: name?.replace(/\\(.)/g, '$1') };
}

/** Returns `{ element, role, name }`, or the `{ error }` that `resolve` documents. */
function resolveElement(target) {
  if (target instanceof Node) {
    const role = roleOf(target);
    return { element: target, role, name: labelOf(target, role) };
  }
  let parsed;
  try {
    parsed = parsedTarget(target);
    if (parsed.ref) return lookUp(parsed.ref);
    const found =
      parsed.selector !== undefined
        ? bySelector(parsed.selector)
        : parsed.role !== undefined
          ? byRole(parsed)
          : byText(parsed.text);
    return chosen(found, parsed);
  } catch (problem) {
    return { error: 'selector', message: explained(problem.message) };
  }
}

/** Returns the reason of an invalid selector or pattern without the selector, which the caller names. */
function explained(message) {
  const reason = message.replace(/^Failed to execute '\w+' on '\w+': /, '').replace(/\.$/, '');
  return reason.endsWith('is not a valid selector') ? 'not valid CSS' : reason;
}

/** Returns the only match; visible matches take precedence over hidden ones. */
function chosen(found, parsed) {
  const visible = found.filter(isExposed);
  const left = visible.length ? visible : found;
  if (left.length === 1) {
    const role = roleOf(left[0]);
    return { element: left[0], role, name: labelOf(left[0], role) };
  }
  if (left.length > 1) {
    return {
      error: 'several',
      count: left.length,
      candidates: left.slice(0, CANDIDATES).map(candidate),
      visible: visible.length > 0,
    };
  }
  return { error: 'none', nearest: nearestTo(parsed) };
}

const candidate = (element) => ({ ref: refOf(element), line: lineOf(element) });

/** Returns the elements that are most similar to a target without a match. */
function nearestTo({ role, name, text }) {
  if (role !== undefined) return nearest({ role, name: name ?? '' });
  if (text === undefined) return [];
  const scored = [];
  for (const element of everyElement()) {
    if (scored.length > 200) break;
    const its = roleOf(element);
    if (!INTERACTIVE.has(its) && its !== 'heading') continue;
    const score = likeness(nameOf(element, its), text);
    if (score > 0.3 && isExposed(element)) scored.push([element, score]);
  }
  return scored
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5)
    .map(([element]) => identity(element));
}

/**
 * Searches the document, else its open shadow roots. A selector that begins in the document and ends in a shadow root
 * contains ` >>> `.
 */
function bySelector(selector) {
  const [first, ...inner] = selector.split(/\s*>>>\s*/);
  let found = query(document, first);
  if (!found.length) found = shadowRoots().flatMap((shadow) => query(shadow, first));
  for (const step of inner) {
    found = found.flatMap((element) => (shadowRoot(element) ? query(shadowRoot(element), step) : query(element, step)));
  }
  return found;
}

/** Tries the exact name first, then ignores case, then accepts a part of one name only. */
function byRole({ role, name, pattern }) {
  const wanted = role.toLowerCase();
  const found = [...everyElement()].filter((element) => roleOf(element) === wanted);
  if (pattern) return found.filter((element) => pattern.test(nameOf(element, wanted)));
  if (name === undefined || name === null) return found;
  const pick = (elements) => named(elements, tidy(name), (element) => nameOf(element, wanted));
  const exposed = pick(found.filter(isExposed));
  if (exposed.length) return exposed;
  const listed = found.filter(isInSnapshot);
  return pick(listed.length ? listed : found);
}

function named(found, wanted, nameFor) {
  const names = found.map((element) => [element, nameFor(element)]);
  const pick = (test) => names.filter(([, name]) => test(name)).map(([element]) => element);
  const lower = wanted.toLowerCase();
  // A name that a snapshot cut ends with an ellipsis.
  if (wanted.endsWith('…')) return pick((name) => name.startsWith(wanted.slice(0, -1)));
  for (const test of [(name) => name === wanted, (name) => name.toLowerCase() === lower]) {
    const fitting = pick(test);
    if (fitting.length) return fitting;
  }
  return pick((name) => name.toLowerCase().includes(lower));
}

/** Returns the innermost elements with a text, exact matches first. A text in a button stands for the button. */
function byText(text) {
  const wanted = tidy(text).toLowerCase();
  if (!wanted) return [];
  const found = innermost(wanted);
  const exact = found.filter((element) => shownText(element) === wanted);
  const visible = exact.filter(isExposed);
  return [...new Set((visible.length || (exact.length && !found.some(isExposed)) ? exact : found).map(pressable))];
}

const shownText = (element) => {
  const isButton = localName(element) === 'input' && ['button', 'submit', 'reset'].includes(element.type);
  return tidy(isButton ? element.value : spacedText(element)).toLowerCase();
};

/** Returns the text of an element without that of scripts and similar elements inside it. */
const readText = (element) => tidy(textWithBreaks(element, (node) => UNREADABLE.has(localName(node)))).toLowerCase();

function innermost(wanted) {
  const found = [];
  const descend = (element) => {
    if (UNREADABLE.has(localName(element)) || !shownText(element).includes(wanted)) return false;
    const deeper = [...childElements(element)].map(descend).some(Boolean);
    if (deeper) return true;
    // A text that occurs only in a script inside the element is not visible.
    if (localName(element) !== 'input' && !readText(element).includes(wanted)) return false;
    found.push(element);
    return true;
  };
  for (const root of [document, ...shadowRoots()]) {
    const tops = root === document ? [documentBody(document)].filter(Boolean) : childNodes(root).filter(isElement);
    tops.forEach(descend);
    found.push(
      ...query(root, 'input').filter(
        (input) => ['button', 'submit', 'reset'].includes(input.type) && shownText(input).includes(wanted),
      ),
    );
  }
  return [...new Set(found)];
}

function pressable(element) {
  let node = element;
  for (let steps = 0; node && steps < 6; steps += 1, node = flatParent(node))
    if (PRESSABLE.has(roleOf(node))) return node;
  return element;
}

/**
 * Returns `{ ref, role, name, visible }` of the one element that `target` names, or
 * `{ error: "stale" | "none" | "several" | "selector" }`.
 */
function resolve(target) {
  const found = resolveElement(target);
  return found.error
    ? found
    : {
        ref: refOf(found.element, found.role, found.name),
        role: found.role,
        name: clip(found.name, NAME_LIMIT),
        visible: isExposed(found.element),
      };
}

/**
 * Returns `{ found, next }`: the result of `resolve`, and the result of a function of `fumi` for that element, so that
 * one call does both. `next` is missing if nothing was found, or if the element's role is `unless`, with which the
 * caller continues itself.
 */
async function resolveAnd(target, name, args, unless) {
  const found = resolve(target);
  if (found.error || found.role === unless) return { found };
  return { found, next: await fumi[name](found.ref, ...args) };
}

/** Returns the element itself, for calls that need it; null if the target names none. */
const elementOf = (target) => resolveElement(target).element ?? null;
