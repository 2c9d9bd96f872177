// What was acted on where a snapshot leaves it out: the member of a long run that holds it, as it was and as it is.

/** `{ member, parent, index, count, was, isCut }`: of the last act, where its element stands in a long run. */
let acted;

/** Elements of a run as long as those that are cut. */
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

/** Before an act: keeps the lines of the member of a long run that the element stands in. */
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

/** Called for members that a snapshot leaves out. */
function leaveOut(member) {
  if (acted && actedMember() && within(actedMember(), member)) acted.isCut = true;
}

/** The member, or what was drawn in its place. */
function actedMember() {
  const member = acted.member.deref();
  if (member && isConnected(member)) return member;
  const parent = acted.parent.deref();
  const siblings = parent && isConnected(parent) ? childElements(parent) : [];
  return siblings.length === acted.count ? siblings[acted.index] : undefined;
}

/** `{ was, is }` of the last act's member if the snapshot just taken leaves it out or it is gone; told once. */
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
