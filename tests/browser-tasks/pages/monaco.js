import * as monaco from 'monaco-editor/editor/editor.main';

self.MonacoEnvironment = { getWorker: () => new Worker('monaco-worker.js', { type: 'module' }) };

const value = 'function add(a, b) {\n  return a - b;\n}\n';
const model = monaco.editor.createModel(value, 'plaintext');
const say = () => (document.querySelector('#said').textContent = model.getValue().replaceAll('\n', ' ⏎ '));
model.onDidChangeContent(say);
monaco.editor.create(document.querySelector('#editor'), { model, ariaLabel: 'Code of add.js', minimap: { enabled: false } });
