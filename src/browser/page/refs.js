// References: `e12` is the twelfth thing this frame showed, for as long as it lives and keeps its role and name.
// Numbers are never used twice. Elements are held weakly: a reference keeps nothing of the page alive.

/**
 * Element -> role and name -> its number: a button that says "Pause" and then "Play" again has its first reference
 * again.
 */
const known = new WeakMap();
/** Number -> { element: WeakRef, role, name }: also what is gone, so that an old reference can be explained. */
const issued = new Map();
/** Of what is gone so many are remembered; older ones are just unknown. */
const REMEMBERED = 4_000;
const NAMES_REMEMBERED = 8;
let lastNumber = 0;
let prunedAt = 0;
/**
 * `f2` in the second frame, and the document's place in its tab: the numbers of the documents before are not used
 * again.
 */
let framePrefix = '';
let firstNumber = 0;

/** Tells the frame its prefix and the last number that an earlier document of this frame used. */
function frame({ prefix, after } = {}) {
  framePrefix = prefix ?? framePrefix;
  if (after > lastNumber) {
    lastNumber = after;
    firstNumber = after;
  }
  return { prefix: framePrefix, last: lastNumber };
}

/** The reference of an element, made or kept. */
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

/** The element lives and this is one of the numbers that it remembers. */
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
 * `{ element }` of a reference, or `{ error: "stale", was, nearest }`, or `{ error: "none", nearest }` if never given.
 */
function lookUp(ref) {
  const number = Number(REF.exec(ref)?.[1] ?? NaN);
  const entry = issued.get(number);
  if (!entry) {
    const page = number <= firstNumber ? 'an element of the page before' : undefined;
    return number <= lastNumber ? { error: 'stale', was: page ?? ref, nearest: [] } : { error: 'none', nearest: [] };
  }
  const element = entry.element.deref();
  if (element && isConnected(element)) {
    const role = roleOf(element);
    const name = labelOf(element, role);
    if (entry.role === role && isSameName(entry.name, name)) return { element, role, name };
  }
  const was = spoken(entry.role, entry.name);
  // The same element under its new name comes first: a button that says "Saved" now.
  const renamed = element && isConnected(element) && isExposed(element) ? [element] : [];
  return { error: 'stale', was, nearest: nearest(entry, renamed) };
}

/** The `*` and `:` around a label come and go with the style sheet of a library. */
function isSameName(one, other) {
  const bare = (name) => name.replace(/^[*:：\s]+|[*:：\s]+$/g, '');
  return one === other || (bare(one) !== '' && bare(one) === bare(other));
}

/** `button "Save"`: how an element is spoken of. */
const spoken = (role, name) => (name ? `${role} ${JSON.stringify(clip(name, NAME_LIMIT))}` : role);

/** At most five visible elements that are likest to a role and name. */
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

/** `{ ref, role, name }` */
function identity(element) {
  const role = roleOf(element);
  return { ref: refOf(element, role), role, name: clip(nameOf(element, role), NAME_LIMIT) };
}

/** Shared pairs of characters, 0 to 1 (Dice): order of words matters little, spelling a little. */
function likeness(one, other) {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  if (a === b) return 1;
  const pairs = (text) => new Set([...text].map((_, index) => text.slice(index, index + 2)));
  const [left, right] = [pairs(a), pairs(b)];
  const shared = [...left].filter((pair) => right.has(pair)).length;
  return left.size + right.size ? (2 * shared) / (left.size + right.size) : 0;
}
