// Determines the role of an element: the explicit one, else the one of HTML (ARIA in HTML, "Document conformance
// requirements"; HTML-AAM 1.0). Only roles that are useful to a reader of a snapshot are distinguished; all others are
// `generic`.

const ROLES = new Set(
  (
    'alert alertdialog application article banner blockquote button caption cell checkbox code columnheader ' +
    'combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form ' +
    'generic grid gridcell group heading img insertion link list listbox listitem log main marquee math menu ' +
    'menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation ' +
    'progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider ' +
    'spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time timer ' +
    'toolbar tooltip tree treegrid treeitem'
  ).split(' '),
);

/** Roles of elements to press, type into or choose. */
const INTERACTIVE = new Set(
  (
    'button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio ' +
    'scrollbar searchbox slider spinbutton switch tab textbox treeitem'
  ).split(' '),
);

/** Roles that are also named by their content (WAI-ARIA 1.2, "Roles Supporting Name from Content"). */
const NAMED_BY_CONTENT = new Set(
  (
    'button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox ' +
    'menuitemradio option radio row rowheader switch tab tooltip treeitem'
  ).split(' '),
);

/** Roles of words inside a sentence, which add nothing to their text. */
const INLINE = new Set(
  'caption code deletion emphasis generic insertion none presentation strong subscript superscript term time'.split(
    ' ',
  ),
);

/** Roles of the parts of a page by which a reader finds the way. */
const LANDMARKS = new Set(
  'banner complementary contentinfo form main navigation region search dialog alertdialog'.split(' '),
);

const INPUT_ROLES = {
  button: 'button',
  checkbox: 'checkbox',
  image: 'button',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  submit: 'button',
};
const LISTABLE = new Set(['', 'text', 'search', 'tel', 'url', 'email']);

function inputRole(element) {
  const type = element.type;
  if (type === 'hidden') return 'none';
  if (LISTABLE.has(type) && hasAttribute(element, 'list')) return 'combobox';
  if (type === 'search') return 'searchbox';
  if (type === 'file') return 'button';
  return INPUT_ROLES[type] ?? 'textbox';
}

/** Returns the landmark for a header or footer, unless a section contains it. */
const scoped = (landmark) => (element) => {
  return closest(element, 'article, aside, main, nav, section') ? 'generic' : landmark;
};

const isNamed = (element) =>
  hasAttribute(element, 'aria-label') || hasAttribute(element, 'aria-labelledby') || hasAttribute(element, 'title');

function cellRole(element) {
  const table = closest(element, 'table');
  const role = table ? attribute(table, 'role') : null;
  return role === 'grid' || role === 'treegrid' ? 'gridcell' : 'cell';
}

function headerRole(element) {
  const scope = attribute(element, 'scope');
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  // Without a scope, a header beside data cells is the header of its row.
  const row = parentNode(element);
  const besideData = row && isElement(row) && [...childElements(row)].some((cell) => localName(cell) === 'td');
  return besideData && row.firstElementChild === element ? 'rowheader' : 'columnheader';
}

/** Returns the role of a part of a table. A table for layout has a role that says so. */
const inTable = (role) => (element) => {
  const table = closest(element, 'table');
  return table && ['none', 'presentation'].includes(attribute(table, 'role')) ? 'generic' : role;
};

const constant = (role) => () => role;
const IMPLICIT = {
  a: (element) => (hasAttribute(element, 'href') || hasAttribute(element, 'xlink:href') ? 'link' : 'generic'),
  area: (element) => (hasAttribute(element, 'href') ? 'link' : 'generic'),
  article: constant('article'),
  aside: constant('complementary'),
  blockquote: constant('blockquote'),
  button: constant('button'),
  caption: constant('caption'),
  code: constant('code'),
  datalist: constant('listbox'),
  dd: constant('definition'),
  del: constant('deletion'),
  details: constant('group'),
  dfn: constant('term'),
  dialog: constant('dialog'),
  dt: constant('term'),
  em: constant('emphasis'),
  fieldset: constant('group'),
  figure: constant('figure'),
  footer: scoped('contentinfo'),
  header: scoped('banner'),
  form: (element) => (isNamed(element) ? 'form' : 'generic'),
  h1: constant('heading'),
  h2: constant('heading'),
  h3: constant('heading'),
  h4: constant('heading'),
  h5: constant('heading'),
  h6: constant('heading'),
  hr: constant('separator'),
  html: constant('document'),
  iframe: constant('iframe'),
  frame: constant('iframe'),
  img: (element) => (attribute(element, 'alt') === '' && !isNamed(element) ? 'presentation' : 'img'),
  input: inputRole,
  ins: constant('insertion'),
  li: constant('listitem'),
  main: constant('main'),
  math: constant('math'),
  menu: constant('list'),
  meter: constant('meter'),
  nav: constant('navigation'),
  ol: constant('list'),
  optgroup: constant('group'),
  option: constant('option'),
  output: constant('status'),
  p: constant('paragraph'),
  progress: constant('progressbar'),
  search: constant('search'),
  section: (element) => (isNamed(element) ? 'region' : 'generic'),
  select: (element) => (element.multiple || element.size > 1 ? 'listbox' : 'combobox'),
  strong: constant('strong'),
  sub: constant('subscript'),
  summary: constant('button'),
  sup: constant('superscript'),
  svg: constant('img'),
  table: inTable('table'),
  tbody: inTable('rowgroup'),
  td: inTable(null),
  textarea: constant('textbox'),
  tfoot: inTable('rowgroup'),
  th: inTable(null),
  thead: inTable('rowgroup'),
  time: constant('time'),
  tr: inTable('row'),
  ul: constant('list'),
};

function implicitRole(element) {
  const name = localName(element);
  const role = IMPLICIT[name]?.(element);
  if (role === null) return name === 'td' ? cellRole(element) : headerRole(element);
  return role ?? (isEditable(element) && isEditingHost(element) ? 'textbox' : 'generic');
}

/** True for the element that has `contenteditable`, not for one inside it. */
function isEditingHost(element) {
  const value = attribute(element, 'contenteditable');
  return value !== null && value !== 'false';
}

function explicitRole(element) {
  const value = attribute(element, 'role');
  return value
    ? value
        .toLowerCase()
        .split(/\s+/)
        .find((role) => ROLES.has(role))
    : undefined;
}

const GLOBAL_STATES = ['aria-label', 'aria-labelledby', 'aria-describedby', 'aria-live', 'aria-controls', 'aria-owns'];

/** Returns the role by which an element is shown and addressed. */
function roleOf(element) {
  const explicit = explicitRole(element);
  // A frame contains a document of its own, whatever role its page gives it: its content is shown below this line.
  if (localName(element) === 'iframe' || localName(element) === 'frame') return 'iframe';
  if (explicit === undefined) return implicitRole(element);
  if (explicit !== 'none' && explicit !== 'presentation') return explicit === 'image' ? 'img' : explicit;
  // "Presentational Roles Conflict Resolution": an element that can be focused or has global states keeps its own role.
  const keeps =
    matches(element, 'a[href], button, input, select, textarea, [tabindex]') ||
    GLOBAL_STATES.some((state) => hasAttribute(element, state));
  return keeps ? implicitRole(element) : explicit;
}
