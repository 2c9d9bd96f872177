// The cleaned markup of a part of the page: enough to write selectors and to understand the structure.

const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const DROPPED = new Set('script style noscript template link meta base'.split(' '));
const LONGEST_ATTRIBUTE = 200;

/** @param depth levels below the element; `exclude`: a selector of the elements to leave out. */
function htmlOf(root, { depth = Infinity, exclude }) {
  const parts = [];
  const write = (node, level) => {
    if (isText(node)) return parts.push(escapeText(nodeValue(node).replace(/\s+/g, ' ')));
    if (isShadowRoot(node)) {
      parts.push('<template shadowrootmode="open">');
      for (const child of childNodes(node)) write(child, level);
      return parts.push('</template>');
    }
    if (!isElement(node)) return undefined;
    const tag = localName(node);
    if (DROPPED.has(tag) || (exclude && node !== root && matches(node, exclude))) return undefined;
    parts.push(`<${tag}${attributesOf(node)}>`);
    if (VOID.has(tag)) return undefined;
    const children = [shadowRoot(node), ...childNodes(node)].filter(Boolean);
    if (tag === 'svg' || (level >= depth && childElements(node).length)) {
      parts.push(children.length ? '…' : '');
    } else {
      for (const child of children) write(child, level + 1);
    }
    return parts.push(`</${tag}>`);
  };
  write(root, 0);
  return parts.join('').replace(/ {2,}/g, ' ');
}

function attributesOf(element) {
  return attributeNames(element)
    .filter((name) => name !== 'style' && name !== 'nonce' && !name.startsWith('on'))
    .map((name) => {
      const value = attribute(element, name);
      if (value === '') return ` ${name}`;
      // Some frameworks copy typed text to this attribute.
      if (name === 'value' && isPassword(element)) return ` value="${MASK}"`;
      const short = /^\s*data:/.test(value) ? `${value.trim().slice(0, 20)}…` : clip(value, LONGEST_ATTRIBUTE);
      return ` ${name}="${short.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
    })
    .join('');
}

const escapeText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Returns `{ html, truncated? }` of a target. */
function html(target, { depth, maxSize, excludeSelector }) {
  const found = resolveElement(target);
  if (found.error) return found;
  try {
    if (excludeSelector) matches(found.element, excludeSelector);
  } catch (problem) {
    return { error: 'selector', message: problem.message };
  }
  const { text, truncated } = cutText(
    htmlOf(found.element, { depth: depth >= 0 ? depth : Infinity, exclude: excludeSelector }),
    maxSize,
  );
  return { html: text, ...(truncated && { truncated }) };
}
