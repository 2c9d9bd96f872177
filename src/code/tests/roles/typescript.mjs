// Prints the roles of names, literal texts and comments in the files named on standard input, by the TypeScript compiler's own
// parser: one line per sampled occurrence with its path, its first byte, its length in bytes, its role and its text. The first
// argument is the folder of the `typescript` package.
//
// The roles are those that src/code/roles.rs defines. The qualifier of a dotted name, the names in `typeof`, the names of JSX
// elements, the keys of object literals and the names of `export { a }` are mentions. Words of the language are not printed.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const ts = createRequire(import.meta.url)(process.argv[2]);
const K = ts.SyntaxKind;

// One of this many names, literal texts and comments is printed.
const EVERY = 7;
const WORD = /[\p{L}\p{N}_]+/gu;

const DEFINITIONS = new Set([
    K.FunctionDeclaration, K.FunctionExpression, K.ClassDeclaration, K.ClassExpression, K.InterfaceDeclaration,
    K.TypeAliasDeclaration, K.EnumDeclaration, K.EnumMember, K.ModuleDeclaration, K.MethodDeclaration, K.MethodSignature,
    K.PropertyDeclaration, K.PropertySignature, K.GetAccessor, K.SetAccessor, K.Parameter, K.VariableDeclaration,
    K.BindingElement, K.TypeParameter, K.NamedTupleMember,
]);
const TEXTS = new Set([
    K.StringLiteral, K.NoSubstitutionTemplateLiteral, K.TemplateHead, K.TemplateMiddle, K.TemplateTail,
    K.RegularExpressionLiteral, K.JsxText,
]);

const seen = {};
for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
    const file = ts.createSourceFile(path, text, { languageVersion: ts.ScriptTarget.Latest }, true, kindOf(path));
    if (file.parseDiagnostics.length > 0) continue;
    const lines = [];
    for (const { sort, at, name, role } of occurrences(file, text).sort((a, b) => a.at - b.at)) {
        seen[sort] = (seen[sort] ?? 0) + 1;
        if (seen[sort] % EVERY > 0) continue;
        lines.push([path, Buffer.byteLength(text.slice(0, at)), Buffer.byteLength(name), role, name].join("\t") + "\n");
    }
    process.stdout.write(lines.join(""));
}

function kindOf(path) {
    if (path.endsWith(".tsx")) return ts.ScriptKind.TSX;
    return /\.[mc]?ts$/.test(path) ? ts.ScriptKind.TS : ts.ScriptKind.JSX;
}

function occurrences(file, text) {
    const found = [];
    const comments = new Map();
    const addWord = (sort, start, end, role) => {
        const words = [...text.slice(start, end).matchAll(WORD)];
        const word = words[Math.floor(words.length / 2)];
        if (word) found.push({ sort, at: start + word.index, name: word[0], role });
    };
    const addComments = (ranges) => (ranges ?? []).forEach(({ pos, end }) => comments.set(pos, end));
    const visit = (node) => {
        const start = node.getStart(file);
        if (node.kind === K.Identifier || node.kind === K.PrivateIdentifier) {
            if (start < node.end && !isWord(node)) found.push({ sort: "name", at: start, name: text.slice(start, node.end), role: role(node) });
        } else if (TEXTS.has(node.kind)) {
            addWord("text", start, node.end, isInImport(node) ? "import" : "string");
        }
        const children = node.getChildren(file).filter((child) => !ts.isJSDoc(child));
        children.forEach(visit);
        if (children.length > 0 || node.kind === K.JsxText) return;
        // Only the space around tokens contains comments.
        addComments(ts.getLeadingCommentRanges(text, node.pos === 0 ? (ts.getShebang(text) ?? "").length : node.pos));
        if (!isBeforeJsxText(node)) addComments(ts.getTrailingCommentRanges(text, node.end));
    };
    visit(file);
    for (const [start, end] of comments) addWord("comment", start, end, "comment");
    return found;
}

// The text of a JSX element follows these tokens: what looks like a comment there is a part of it.
function isBeforeJsxText({ kind, parent }) {
    const isInElement = (element) => ts.isJsxElement(element.parent) || ts.isJsxFragment(element.parent);
    if (kind === K.CloseBraceToken) return ts.isJsxExpression(parent) && isInElement(parent);
    if (kind !== K.GreaterThanToken) return false;
    return ts.isJsxOpeningElement(parent) || ts.isJsxOpeningFragment(parent) || (ts.isJsxSelfClosingElement(parent) && isInElement(parent))
        || ((ts.isJsxClosingElement(parent) || ts.isJsxClosingFragment(parent)) && isInElement(parent.parent));
}

// Words of the language that the compiler reads as names: `as const`, `declare global`.
function isWord(node) {
    return (ts.isTypeReferenceNode(node.parent) && node.text === "const")
        || (ts.isModuleDeclaration(node.parent) && (node.parent.flags & ts.NodeFlags.GlobalAugmentation) !== 0);
}

function isInImport(node) {
    return ts.findAncestor(node, (one) => ts.isImportDeclaration(one) || ts.isImportEqualsDeclaration(one)) !== undefined;
}

function role(node) {
    if (isInImport(node)) return "import";
    const parent = node.parent;
    if ((DEFINITIONS.has(parent.kind) && parent.name === node) || (ts.isLabeledStatement(parent) && parent.label === node)) return "definition";
    if (ts.isQualifiedName(parent) && parent.right !== node) return "mention";
    const typeName = ts.isQualifiedName(parent) ? parent : node;
    const { parent: user } = typeName;
    if (ts.isTypeReferenceNode(user) && user.typeName === typeName) return "type";
    if (ts.isImportTypeNode(user) && user.qualifier === typeName) return user.isTypeOf ? "mention" : "type";
    const expression = ts.isPropertyAccessExpression(parent) && parent.name === node ? parent : node;
    if (ts.isAssignmentTarget(expression)) return "write";
    let outer = expression;
    while (isAround(outer.parent, outer)) outer = outer.parent;
    if (ts.isCallOrNewExpression(outer.parent) && outer.parent.expression === outer) return "call";
    if (ts.isTaggedTemplateExpression(outer.parent) && outer.parent.tag === outer) return "call";
    if (ts.isExpressionWithTypeArguments(outer.parent) && ts.isHeritageClause(outer.parent.parent)) return "type";
    return "mention";
}

// True if a node adds only brackets or a type to an expression.
function isAround(node, expression) {
    return node.expression === expression && ts.isOuterExpression(node) && !(ts.isExpressionWithTypeArguments(node) && ts.isHeritageClause(node.parent));
}
