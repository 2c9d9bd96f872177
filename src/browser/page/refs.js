// References: `e12` is the twelfth element that this frame showed, for as long as it exists with the same role and
// name. Numbers are never reused. Elements are held weakly, so a reference does not keep a part of the page in memory.

/**
 * Element -> role and name -> its number. A button that says "Pause" and then "Play" again gets its first reference
 * again.
 */
const known = new WeakMap();
/**
 * Number -> { element: WeakRef, role, name }. Includes elements that are gone, so that an old reference can be
 * explained.
 */
const issued = new Map();
/** The number of removed elements that are remembered; older references are unknown. */
const REMEMBERED = 4_000;
const NAMES_REMEMBERED = 8;
let lastNumber = 0;
let prunedAt = 0;
/**
 * The prefix of references, such as `f2` in the second frame, and the last number that earlier documents of the frame
 * used: their numbers are not reused.
 */
let framePrefix = '';
let firstNumber = 0;

/** Sets the prefix of the frame and the last number that an earlier document of this frame used. */
function frame({ prefix, after } = {}) {
  framePrefix = prefix ?? framePrefix;
  if (after > lastNumber) {
    lastNumber = after;
    firstNumber = after;
  }
  return { prefix: framePrefix, last: lastNumber };
}

/** Returns the reference of an element; creates one if it has none for this role and name. */
function refOf(element, role = roleOf(element), name = labelOf(element, role)) {
  const key = `${role} ${name}`;
  const numbers = known.get(element) ?? new Map();
  let number = numbers.get(key);
  if (number === undefined) {
    lastNumber += 1;
    number = lastNumber;
    // A clock or a counter changes its name for ever.
    if (numbers.size >= NAMES_REMEMBERED) numbers.delete(numbers.keys().next().value);
    known.set(element, numbers.set(key, number));
    issued.set(number, { element: new WeakRef(element), role, name });
    if (issued.size - prunedAt > REMEMBERED) prune();
  }
  return `${framePrefix}e${number}`;
}

/** True if the element exists and remembers this number. */
function isCurrent(number, entry) {
  const element = entry.element.deref();
  return element !== undefined && known.get(element)?.get(`${entry.role} ${entry.name}`) === number;
}

/** Forgets the oldest references whose element is gone. */
function prune() {
  const gone = [...issued].filter(([number, entry]) => !isCurrent(number, entry)).map(([number]) => number);
  for (const number of gone.slice(0, Math.max(0, gone.length - REMEMBERED))) issued.delete(number);
  prunedAt = issued.size;
}

const REF = /^(?:f\d+)?e(\d+)$/;
const isRef = (text) => REF.test(text);

/**
 * Returns `{ element }` of a reference, or `{ error: "stale", was, nearest }`, or `{ error: "none", nearest }` for a
 * reference that was never issued.
 */
function lookUp(ref) {
  const number = Number(REF.exec(ref)?.[1] ?? NaN);
  const entry = issued.get(number);
  if (!entry) {
    const page = number <= firstNumber ? 'an element of the previous page' : undefined;
    return number <= lastNumber ? { error: 'stale', was: page ?? ref, nearest: [] } : { error: 'none', nearest: [] };
  }
  const element = entry.element.deref();
  if (element && isConnected(element)) {
    const role = roleOf(element);
    const name = labelOf(element, role);
    if (entry.role === role && isSameName(entry.name, name)) return { element, role, name };
  }
  const was = spoken(entry.role, entry.name);
  // The same element under its new name comes first, such as a button that now says "Saved".
  const renamed = element && isConnected(element) && isExposed(element) ? [element] : [];
  return { error: 'stale', was, nearest: nearest(entry, renamed) };
}

/** True if two names are equal apart from a `*` or `:` around them, which a library's style sheet adds and removes. */
function isSameName(one, other) {
  const bare = (name) => name.replace(/^[*:：\s]+|[*:：\s]+$/g, '');
  return one === other || (bare(one) !== '' && bare(one) === bare(other));
}

/** Returns the description of an element for messages: `button "Save"`. */
const spoken = (role, name) => (name ? `${role} ${JSON.stringify(clip(name, NAME_LIMIT))}` : role);

/** Returns at most five visible elements that are most similar to a role and name. */
function nearest({ role, name }, first = []) {
  const candidates = new Map(first.map((element) => [element, 2]));
  for (const element of everyElement()) {
    if (candidates.size > 400) break;
    const its = roleOf(element);
    if (its !== role || !isExposed(element)) continue;
    const score = likeness(nameOf(element, its), name);
    if (!candidates.has(element) && score > 0.3) candidates.set(element, score);
  }
  return [...candidates]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5)
    .map(([element]) => identity(element));
}

/** Returns `{ ref, role, name }` of an element. */
function identity(element) {
  const role = roleOf(element);
  return { ref: refOf(element, role), role, name: clip(nameOf(element, role), NAME_LIMIT) };
}

/**
 * Returns the share of common pairs of characters, 0 to 1 (Dice): tolerates another order of words and small
 * differences in spelling.
 */
function likeness(one, other) {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  if (a === b) return 1;
  const pairs = (text) => new Set([...text].map((_, index) => text.slice(index, index + 2)));
  const [left, right] = [pairs(a), pairs(b)];
  const shared = [...left].filter((pair) => right.has(pair)).length;
  return left.size + right.size ? (2 * shared) / (left.size + right.size) : 0;
}
