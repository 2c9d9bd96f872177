// The effect of the last act on an element that a snapshot leaves out: the lines of its member of a long run, before
// and after the act.

/** The last act, if its element is inside a long run: `{ member, parent, index, count, was, isCut }`. */
let acted;

/** Returns the member of a run, long enough to be cut, that contains the element; null if there is none. */
function memberOf(element) {
  for (let node = element; node && parentNode(node); node = parentNode(node)) {
    if (!isElement(parentNode(node)) || node === documentBody(document)) return null;
    const siblings = [...childElements(parentNode(node))];
    if (siblings.length <= SHORTEST_RUN) continue;
    const shape = shapeOf(node);
    if (siblings.filter((other) => shapeOf(other) === shape).length > SHORTEST_RUN) return node;
  }
  return null;
}

/** Before an act: stores the lines of the member of a long run that contains the element. */
function noteActed(element) {
  acted = undefined;
  const member = memberOf(element);
  if (!member) return;
  const siblings = [...childElements(parentNode(member))];
  const place = { parent: new WeakRef(parentNode(member)), index: siblings.indexOf(member), count: siblings.length };
  acted = { member: new WeakRef(member), ...place, was: linesOfMember(member), isCut: false };
}

const linesOfMember = (member) =>
  linesOf(treeOf(member, { rows: ROWS.page, texts: TEXTS.page, budget: RUN_BUDGET }), { texts: TEXTS.page }).join('\n');

/** Called for each member that a snapshot leaves out. */
function leaveOut(member) {
  if (acted && actedMember() && within(actedMember(), member)) acted.isCut = true;
}

/** Returns the member, or the element that has replaced it; undefined if neither exists. */
function actedMember() {
  const member = acted.member.deref();
  if (member && isConnected(member)) return member;
  const parent = acted.parent.deref();
  const siblings = parent && isConnected(parent) ? childElements(parent) : [];
  return siblings.length === acted.count ? siblings[acted.index] : undefined;
}

/** Returns `{ was, is }` of the last act's member if it is gone or the latest snapshot left it out. Reports it once. */
function takeActed() {
  if (!acted) return undefined;
  const { was, isCut } = acted;
  const member = actedMember();
  acted = member ? { ...acted, isCut: false } : undefined;
  if (member && !isCut) return undefined;
  const is = member ? linesOfMember(member) : '';
  acted = undefined;
  return { was, is };
}
