// What a reading system adds to a document of a book, and what can be measured then. Called with the size of a page.
(async ({ width, height, margin, letter }) => {
  await document.fonts.ready;
  const root = document.documentElement;
  // A vertical text flows into columns of the size of a page, which lie one below the other.
  const layout = {
    position: 'relative', margin: `${margin}px`, width: `${width - 2 * margin}px`, height: `${height - 2 * margin}px`, 'font-size': `${letter}px`,
    'column-width': `${height - 2 * margin}px`, 'column-gap': `${2 * margin}px`, 'column-fill': 'auto', background: 'white',
  };
  for (const [name, value] of Object.entries(layout)) root.style.setProperty(name, value);
  const all = [...document.body.querySelectorAll('*')];
  for (const element of all) {
    for (const side of ['breakBefore', 'breakAfter']) if (getComputedStyle(element)[side] === 'page') element.style[side] = 'column';
  }
  const style = element => getComputedStyle(element);
  const box = rect => ({ left: rect.left + scrollX, top: rect.top + scrollY, right: rect.right + scrollX, bottom: rect.bottom + scrollY });
  const boxOf = element => box(element.getBoundingClientRect());
  const textsIn = element => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), texts = [];
    while (walker.nextNode()) if (walker.currentNode.data.trim()) texts.push(walker.currentNode);
    return texts;
  };
  // The boxes of a text, one for each line.
  const boxesOf = node => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].map(box);
  };
  const lettersOf = node => [...node.data].map((_, at) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return box(range.getBoundingClientRect());
  });
  const firstBox = kind => textsIn(document.body).filter(node => node.parentElement.closest(kind)).flatMap(boxesOf)[0] ?? null;
  const shown = textsIn(document.body).filter(node => node.parentElement.checkVisibility());
  // A font without a letter draws the same sign for all.
  const drawn = text => {
    const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
    canvas.width = canvas.height = 40;
    pen.font = `30px ${style(document.body).fontFamily}`;
    pen.fillText(text, 4, 34);
    return canvas.toDataURL();
  };
  return {
    error: document.querySelector('parsererror')?.textContent ?? null,
    modes: [root, document.body].map(element => style(element).writingMode),
    hasLetters: drawn('縦') !== drawn('潮'),
    lines: all.filter(element => element.matches('h1, p')).map(element => element.textContent),
    heading: firstBox('h1'),
    paragraph: firstBox('p'),
    sections: all.filter(element => element.localName === 'section').map(section => textsIn(section).flatMap(boxesOf)),
    texts: shown.map(node => ({ text: node.data, isUpright: !!node.parentElement.closest('.tcy'), boxes: boxesOf(node) })),
    upright: all.filter(element => element.matches('.tcy')).map(element => ({
      text: element.textContent, combine: style(element).textCombineUpright, mode: style(element).writingMode,
      size: parseFloat(style(element).fontSize), box: boxOf(element), letters: lettersOf(element.firstChild),
    })),
    rubies: all.filter(element => element.localName === 'ruby').map(ruby => ({
      text: ruby.textContent, base: textsIn(ruby).filter(node => !node.parentElement.closest('rt')).flatMap(boxesOf),
      reading: boxesOf(ruby.querySelector('rt').firstChild),
    })),
    dots: all.filter(element => element.matches('em.dots')).map(element => ({ text: element.textContent, mark: style(element).textEmphasisStyle })),
    images: [...document.images].map(image => ({
      source: image.getAttribute('src'), isLoaded: image.complete && image.naturalWidth > 0,
      ratio: image.naturalWidth / image.naturalHeight, box: boxOf(image),
    })),
    links: [...document.links].filter(link => link.checkVisibility()).map(link => ({ text: link.textContent, target: link.getAttribute('href') })),
  };
})
