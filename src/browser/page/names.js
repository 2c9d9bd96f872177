// The accessible name (Accessible Name and Description Computation 1.2; the letters are its steps) with the text
// alternatives of HTML (HTML-AAM 1.0, "Accessible Name Computation").

const LABELABLE = new Set('button input meter output progress select textarea'.split(' '));

/** Returns the accessible name with white space collapsed; empty if there is none. */
function nameOf(element, role = roleOf(element)) {
  return tidy(textAlternative(element, { role, seen: new Set(), top: true }));
}

/**
 * `walk.seen` breaks circles. `walk.referenced` is true while aria-labelledby is followed, which happens only once.
 * `walk.inside` is true while the text of a descendant is collected.
 */
function textAlternative(element, walk) {
  if (walk.seen.has(element)) return '';
  walk.seen.add(element);
  const role = walk.role ?? roleOf(element);
  // 2A: hidden content is not part of a name unless it is referenced.
  if (!walk.top && !walk.referenced && !walk.underHidden && isHiddenForNames(element)) return '';
  // 2B: aria-labelledby.
  if (!walk.referenced) {
    const labels = byIds(element, 'aria-labelledby');
    if (labels.length) {
      const name = labels
        .map((label) =>
          textAlternative(label, {
            seen: new Set(label === element ? [] : [element]),
            referenced: true,
            underHidden: isHiddenForNames(label),
          }),
        )
        .join(' ');
      if (name.trim()) return name;
    }
  }
  // 2C: a control inside a label contributes its value.
  if (walk.inside || walk.referenced) {
    const value = embeddedValue(element, role);
    if (value !== undefined) return value;
  }
  // 2D: aria-label.
  const label = attribute(element, 'aria-label');
  if (label?.trim()) return label;
  // 2E: the text alternatives of HTML.
  const native = nativeName(element, role, walk);
  if (native?.trim()) return native;
  // 2F: the content.
  if (walk.inside || walk.referenced || (NAMED_BY_CONTENT.has(role) && !isField(element))) {
    const content = contentText(element, walk);
    if (content.trim()) return content;
  }
  // 2I: the tooltip.
  return (
    attribute(element, 'title') ||
    (walk.top ? attribute(element, 'placeholder') || attribute(element, 'aria-placeholder') || '' : '')
  );
}

function isHiddenForNames(element) {
  return (
    attribute(element, 'aria-hidden') === 'true' || !isRendered(element) || styleOf(element).visibility === 'hidden'
  );
}

const isField = (element) => {
  const name = localName(element);
  return (
    name === 'select' ||
    name === 'textarea' ||
    (name === 'input' && !['button', 'submit', 'reset', 'image'].includes(element.type))
  );
};

/**
 * Returns the text of a control inside another name. The value of a field is the one that a snapshot shows, so never a
 * password.
 */
function embeddedValue(element, role) {
  const fieldValue = () => valueOf(element, role) ?? element.value;
  if (role === 'textbox' || role === 'searchbox') return isField(element) ? fieldValue() : spacedText(element);
  if (role === 'combobox' || role === 'listbox') {
    if (localName(element) === 'select') return [...element.selectedOptions].map((option) => option.label).join(' ');
    if (isField(element)) return fieldValue();
    const picked = query(element, '[aria-selected="true"]');
    return picked.map(spacedText).join(' ');
  }
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'meter') {
    return (
      attribute(element, 'aria-valuetext') ??
      attribute(element, 'aria-valuenow') ??
      (isField(element) ? fieldValue() : undefined)
    );
  }
  return undefined;
}

/** 2E: returns the name that HTML itself gives to an element. */
function nativeName(element, role, walk) {
  const name = localName(element);
  if (LABELABLE.has(name)) {
    const labelled = labelText(element, walk);
    if (labelled.trim()) return labelled;
  }
  switch (name) {
    case 'input':
      if (element.type === 'submit') return element.value || 'Submit';
      if (element.type === 'reset') return element.value || 'Reset';
      if (element.type === 'button') return element.value;
      if (element.type === 'image') return attribute(element, 'alt') || attribute(element, 'title') || 'Submit';
      if (element.type === 'file') return 'Choose File';
      return '';
    case 'img':
    case 'area':
      return attribute(element, 'alt') ?? '';
    case 'fieldset':
      return childName(element, 'legend', walk);
    case 'table':
      return childName(element, 'caption', walk);
    case 'figure':
      return childName(element, 'figcaption', walk);
    case 'optgroup':
    case 'option':
      return attribute(element, 'label') ?? '';
    case 'svg':
      return childName(element, 'title', walk);
    case 'iframe':
      return attribute(element, 'title') ?? attribute(element, 'name') ?? '';
    default:
      // The shapes of an icon do not name the button that contains it.
      return walk.top && isShape(element) ? childName(element, 'title', walk) : '';
  }
}

function labelText(element, walk) {
  const { labels } = element;
  if (!labels?.length) return '';
  return [...labels]
    .map((label) => textAlternative(label, { seen: new Set([element, ...walk.seen]), inside: true }))
    .join(' ');
}

function childName(element, tag, walk) {
  const child = [...childElements(element)].find((candidate) => localName(candidate) === tag);
  if (!child) return '';
  if (tag === 'title') return textContent(child);
  return textAlternative(child, { seen: walk.seen, inside: true });
}

/**
 * 2F: returns the text of the content, with the text that CSS adds before and after it. Blocks are separated, inline
 * parts are not.
 */
function contentText(element, walk) {
  const parts = [pseudoText(element, '::before')];
  for (const child of [...flatChildren(element), ...byIds(element, 'aria-owns')]) {
    if (isText(child)) {
      parts.push(nodeValue(child));
    } else if (isElement(child) && !UNREADABLE.has(localName(child)) && !isSubtree(child, walk.role)) {
      const text = textAlternative(child, { seen: walk.seen, inside: true, underHidden: walk.underHidden });
      const block = localName(child) === 'br' || !isInline(styleOf(child).display);
      parts.push(block ? ` ${text} ` : text);
    }
  }
  parts.push(pseudoText(element, '::after'));
  return parts.join('');
}

/** True for the items below an item of a tree or menu, which are not part of its name. */
const isSubtree = (child, role) =>
  (role === 'treeitem' || role === 'menuitem') && /^(?:group|menu)$/.test(attribute(child, 'role') ?? '');

// `rt` and `rp` only state how their base text is read aloud.
const UNREADABLE = new Set('head link meta noscript rp rt script style template title'.split(' '));
const isInline = (display) => display === 'inline' || display === 'contents' || display.startsWith('ruby');

const STRING = /"((?:[^"\\]|\\.)*)"/g;

/**
 * Returns the text that `content` of a pseudo-element generates, or its alternative text (after `/`). Pictures and
 * counters generate no text.
 */
function pseudoText(element, pseudo) {
  const { content } = styleOf(element, pseudo);
  if (!content || content === 'none' || content === 'normal') return '';
  if (content.startsWith('attr(')) return attribute(element, content.slice(5, -1).trim()) ?? '';
  const readable = content.replace(/[\w-]+\((?:"(?:[^"\\]|\\.)*"|[^"()])*\)/g, '');
  const alternative = readable.match(/\/\s*("(?:[^"\\]|\\.)*")\s*$/);
  return [...(alternative?.[1] ?? readable).matchAll(STRING)].map(([, text]) => text.replace(/\\(.)/g, '$1')).join('');
}

/**
 * Elements that are shown with their content: only a name that was given to them explicitly is part of their identity.
 */
const SHOWN_BY_CONTENT = new Set(
  'cell columnheader definition generic gridcell listitem none paragraph presentation row rowgroup rowheader'.split(
    ' ',
  ),
);

/** Returns the name that a snapshot prints and that a reference is bound to. */
function labelOf(element, role) {
  if (!SHOWN_BY_CONTENT.has(role)) return nameOf(element, role);
  if (hasAttribute(element, 'aria-labelledby')) {
    return tidy(
      byIds(element, 'aria-labelledby')
        .map(spacedText)
        .join(' '),
    );
  }
  return tidy(attribute(element, 'aria-label') ?? (isShape(element) ? childName(element, 'title') : ''));
}
