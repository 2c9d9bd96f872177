// The readable page: its visible text in order, with headings, list items and table rows marked, and without controls
// to act on.

/**
 * Returns the text that a field or button shows: its value, or the chosen options. Returns nothing for other elements.
 */
function shownValue(element, tag) {
  if (tag === 'svg') return query(element, 'text').filter(isExposed).map(drawnText).join(' ');
  if (tag === 'select') return [...element.selectedOptions].map((option) => tidy(option.label)).join(', ');
  if (tag === 'input' && ['button', 'submit', 'reset'].includes(element.type)) return element.value;
  return valueOf(element, roleOf(element)) ?? '';
}

function readableText(root) {
  const lines = [];
  let line = '';
  const flush = () => {
    const text = tidy(line);
    if (text) lines.push(text);
    line = '';
  };
  const read = (node) => {
    if (isText(node)) {
      if (styleOf(flatParent(node) ?? root).visibility === 'visible') line += nodeValue(node);
      return;
    }
    if (!isElement(node)) return;
    const tag = localName(node);
    if (UNREADABLE.has(tag) || isExcluded(node)) return;
    const style = styleOf(node);
    if (style.display === 'none' || (style.display !== 'contents' && !checkVisibility(node))) return;
    if (LEAVES.has(tag) && node !== rootElement(document)) {
      if (style.visibility === 'visible') line += ` ${shownValue(node, tag)} `;
      return;
    }
    if (tag === 'br') {
      flush();
      return;
    }
    if (tag === 'pre') {
      flush();
      lines.push(textContent(node).replace(/\s+$/, ''));
      return;
    }
    const block = !isInline(style.display) && style.display !== 'inline-block' && style.display !== 'inline-flex';
    if (style.display === 'table-cell') {
      if (tidy(line)) line += ' | ';
    } else if (block) {
      flush();
      const level = roleOf(node) === 'heading' ? levelOf(node) : 0;
      if (level) line = `${'#'.repeat(level)} `;
      else if (style.display === 'list-item') line = '- ';
    }
    line += pseudoText(node, '::before');
    for (const child of flatChildren(node)) read(child);
    line += pseudoText(node, '::after');
    if (block && style.display !== 'table-cell') flush();
  };
  read(root);
  flush();
  return lines.filter((text) => text !== '-' && !/^#+$/.test(text)).join('\n');
}
