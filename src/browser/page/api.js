// What the server may call. Everything takes and gives plain JSON, but `element`. A target is a reference, a selector,
// `text=...`, `role=button[name="..."]`, `{ role, name }` or `{ text }`. Nothing throws for what a page or a caller can cause:
// such trouble is `{ error, ... }`.
globalThis.fumi = Object.freeze({
  aim, check, describe, dropData, element, elements, fill, find, focus, frame, frameBox, html, isFileInput, playwright, resolve,
  select, selectText, snapshot, wait, beginTyping, chooseOption, seenDrags, watchDrags, settled: settledPage, title: () => documentTitle(document),
});
