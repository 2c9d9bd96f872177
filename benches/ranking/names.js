// Public names of TypeScript and JavaScript with all their definitions, by the TypeScript compiler.
//
//   node names.js COMPILER TREE
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const crypto = require("node:crypto");
const ts = require(path.join(process.argv[2], "lib/typescript.js"));

const NAMES = 100;
const draw = (key) => crypto.createHash("sha256").update(`name:${key}`).digest("hex");

function* files(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const found = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* files(found);
    else if (/\.(ts|js|mjs|tsx)$/.test(entry.name)) yield found;
  }
}

const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isClassExpression(node));
const isDefinition = (node) =>
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isMethodSignature(node) ||
  ts.isGetAccessorDeclaration(node) ||
  ts.isSetAccessorDeclaration(node) ||
  ((ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) &&
    isFunction(node.initializer));

function isPublic(node) {
  const modifiers = ts.getCombinedModifierFlags(node);
  if (node.name.text.startsWith("_") || modifiers & ts.ModifierFlags.Private) return false;
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return Boolean(modifiers & ts.ModifierFlags.Export);
  return ts.isMethodDeclaration(node) && ts.isClassDeclaration(node.parent);
}

const root = process.argv[3];
const found = new Map();
const names = new Set();
const elements = [];
for (const file of [...files(root)].sort()) {
  const source = ts.createSourceFile(file, fs.readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (isDefinition(node) && node.name && ts.isIdentifier(node.name)) {
      const name = node.name.text;
      const lineOf = (at) => source.getLineAndCharacterOfPosition(at).line + 1;
      const line = lineOf(node.name.getStart());
      if (!found.has(name)) found.set(name, []);
      found.get(name).push({ file: path.relative(root, file), name, line });
      elements.push({ file: path.relative(root, file), name, first: lineOf(node.getStart()), last: lineOf(node.getEnd()) });
      if (isPublic(node)) names.add(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
const drawn = [...names].sort((a, b) => (draw(a) < draw(b) ? -1 : 1)).slice(0, NAMES);
const asked = drawn.map((name) => ({
  set: "names, TypeScript and JavaScript",
  tree: "typescript",
  query: name,
  right: found.get(name),
  half: "test",
}));
process.stdout.write(JSON.stringify({ questions: asked, elements }));
