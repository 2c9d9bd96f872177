// The page to read: the visible text in its order, headings, list items and table rows marked, nothing to act on.

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
    if (UNREADABLE.has(tag) || isExcluded(node) || (LEAVES.has(tag) && node !== rootElement(document))) return;
    const style = styleOf(node);
    if (style.display === 'none' || (style.display !== 'contents' && !checkVisibility(node))) return;
    if (tag === 'br') return void (line += '\n') ?? flush();
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
