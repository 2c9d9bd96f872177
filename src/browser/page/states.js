// The states of an element, in the order and form of Playwright's snapshots, and the value of a field.

const CHECKABLE = new Set('checkbox menuitemcheckbox menuitemradio option radio switch treeitem'.split(' '));
const EXPANDABLE = new Set(
  (
    'application button checkbox combobox gridcell group link listbox menuitem row rowheader switch tab ' + 'treeitem'
  ).split(' '),
);
const WITH_LEVEL = new Set(['heading', 'listitem', 'row', 'treeitem']);

/** Returns the states `[checked] [level=2] ...` as an array of texts without the brackets. */
function statesOf(element, role, focus) {
  const states = [];
  const checked = checkedState(element, role);
  if (checked) states.push(checked === 'mixed' ? 'checked=mixed' : 'checked');
  if ((INTERACTIVE.has(role) || role === 'group') && isDisabled(element)) states.push('disabled');
  if (EXPANDABLE.has(role) && isExpanded(element)) states.push('expanded');
  const refusal = refusalOf(element);
  if (refusal) states.push(`invalid=${JSON.stringify(refusal)}`);
  if (element === focus) states.push('active');
  const level = WITH_LEVEL.has(role) ? levelOf(element) : 0;
  if (level) states.push(`level=${level}`);
  const pressed = role === 'button' ? attribute(element, 'aria-pressed') : null;
  if (pressed === 'true' || pressed === 'mixed') states.push(pressed === 'mixed' ? 'pressed=mixed' : 'pressed');
  // For any role: many pages mark their own tabs and options in this way without a role.
  if (isSelected(element)) states.push('selected');
  return states;
}

const USER_INVALID = ':user-invalid';
const knowsUserInvalid = CSS.supports(`selector(${USER_INVALID})`);

/**
 * Returns the browser's reason why it does not send a form with this field; empty if the field is valid, or if the user has
 * not changed it or tried to send the form yet, even if it is empty and required.
 */
function refusalOf(element) {
  if (!knowsUserInvalid || !['input', 'select', 'textarea'].includes(localName(element))) return '';
  return matches(element, USER_INVALID) ? brief(element.validationMessage) : '';
}

/** Returns true, false or "mixed". */
function checkedState(element, role) {
  if (!CHECKABLE.has(role)) return false;
  if (localName(element) === 'input') return element.indeterminate ? 'mixed' : element.checked;
  const state = attribute(element, 'aria-checked');
  return state === 'mixed' ? 'mixed' : state === 'true';
}

function isExpanded(element) {
  if (localName(element) === 'details') return element.open;
  if (localName(element) === 'summary') return parentNode(element)?.open === true;
  return attribute(element, 'aria-expanded') === 'true';
}

function isSelected(element) {
  return localName(element) === 'option' ? element.selected : attribute(element, 'aria-selected') === 'true';
}

function levelOf(element) {
  const explicit = Number(attribute(element, 'aria-level'));
  if (explicit > 0) return explicit;
  const heading = /^h([1-6])$/.exec(localName(element));
  return heading ? Number(heading[1]) : 0;
}

/** The text shown in place of a password. */
const MASK = '••••';
const isPassword = (element) => localName(element) === 'input' && element.type === 'password';

/** Returns the value that a field shows; undefined if the element is not a field. A password is never returned. */
function valueOf(element, role) {
  const name = localName(element);
  if (name === 'textarea') return element.value;
  if (name === 'input') {
    switch (element.type) {
      case 'password':
        return element.value ? MASK : '';
      case 'file':
        return [...element.files].map((file) => file.name).join(', ');
      case 'checkbox':
      case 'radio':
      case 'button':
      case 'submit':
      case 'reset':
      case 'image':
      case 'hidden':
        return '';
      default:
        return element.value;
    }
  }
  if (name === 'meter' || name === 'progress')
    return name === 'progress' && element.position < 0 ? '' : String(element.value);
  if (['slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar'].includes(role)) {
    return attribute(element, 'aria-valuetext') ?? attribute(element, 'aria-valuenow') ?? undefined;
  }
  return undefined;
}
