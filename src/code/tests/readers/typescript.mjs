// Prints what the TypeScript compiler's own parser finds in the files named on standard input: one line per definition,
// member, import and export. The first argument is the folder of the `typescript` package. No types are checked.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const ts = createRequire(import.meta.url)(process.argv[2]);
const K = ts.SyntaxKind;
const WORDS = [
    "export", "default", "declare", "public", "private", "protected", "abstract", "static", "override", "readonly", "async",
];

for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const text = readFileSync(path, "utf8");
    const file = ts.createSourceFile(path, text, { languageVersion: ts.ScriptTarget.Latest }, true, kindOf(path));
    const lines = [`${path}\t${file.parseDiagnostics.length > 0 ? "refused" : "read"}`];
    if (file.parseDiagnostics.length === 0) {
        for (const fact of facts(file)) lines.push(`${path}\t${fact}`);
    }
    process.stdout.write(lines.join("\n") + "\n");
}

function kindOf(path) {
    if (path.endsWith(".tsx")) return ts.ScriptKind.TSX;
    return /\.[mc]?ts$/.test(path) ? ts.ScriptKind.TS : ts.ScriptKind.JSX;
}

function facts(file) {
    const found = [];
    const line = (at) => file.getLineAndCharacterOfPosition(at).line + 1;
    const shown = (node) => node.getText(file).replace(/\s+/g, " ").trim();
    const bare = (text) => text.replace(/^["'`]|["'`]$/g, "");
    const words = (node) => (node.modifiers ?? []).map((modifier) => ts.tokenToString(modifier.kind)).filter((word) => WORDS.includes(word));

    // A position in the file: the enclosing names, and true if one of them is that of a function.
    const within = (place, name, more = {}) => ({ ...place, names: [...place.names, name], ...more });
    const add = (kind, place, name, node, modifiers = []) => {
        const start = line(node.getStart(file, false));
        const end = line(Math.max(node.getStart(file, false), node.end - 1));
        found.push([kind, [...place.names, name].join("."), start, end, [...new Set(modifiers)].sort().join(" ")].join("\t"));
    };
    const isFunction = (node) => node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
    const isClass = (node) => node !== undefined && ts.isClassExpression(node);
    const each = (node, place) => ts.forEachChild(node, (child) => visit(child, place));

    function callableWords(node) {
        const own = words(node);
        if (node.asteriskToken) own.push("generator");
        return own;
    }

    // The modifier or the # of a class member decides its visibility; members of interfaces are public.
    function memberWords(node, name, place) {
        const own = callableWords(node);
        const isOfClass = ["class", "interface", "enum"].includes(place.owner);
        if (isOfClass && !own.some((word) => ["public", "private", "protected"].includes(word))) own.push(name.startsWith("#") ? "private" : "public");
        if (ts.isGetAccessor(node)) own.push("get");
        if (ts.isSetAccessor(node)) own.push("set");
        return own;
    }

    // Visits a function without its name: variables and members of objects inside it are local.
    function body(node, place, name) {
        each(node, within(place, name, { owner: "function", isNamed: true, isLocal: true }));
    }

    function members(node, place, name, owner) {
        const inside = within(place, name, { owner, isNamed: false });
        each(node, inside);
    }

    function namedBy(node, fallback) {
        return node.name ? shown(node.name) : fallback;
    }

    // `name = function () {}` and similar forms: `around` is the node whose range counts.
    function bound(place, name, node, around, modifiers, kind = "function") {
        if (isClass(node)) {
            add("class", place, name, around, [...modifiers, ...words(node)]);
            members(node, place, name, "class");
        } else {
            add(kind, place, name, around, [...modifiers, ...callableWords(node)]);
            body(node, place, name);
        }
    }

    function isInvoked(node) {
        let callee = node;
        while (ts.isParenthesizedExpression(callee.parent)) callee = callee.parent;
        if (ts.isPropertyAccessExpression(callee.parent) && callee.parent.expression === callee) callee = callee.parent;
        return ts.isCallExpression(callee.parent) && callee.parent.expression === callee;
    }

    function isRequire(node) {
        return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "require"
            && node.arguments.length > 0 && ts.isStringLiteral(node.arguments[0]);
    }

    // Returns `module>alias` for each name of an import or export.
    function named(elements) {
        return elements.map((one) => {
            const [from, to] = one.propertyName ? [one.propertyName, one.name] : [one.name, undefined];
            return bare(shown(from)) + (to ? ">" + bare(shown(to)) : "");
        });
    }

    function relation(kind, place, node, module, names, modifiers) {
        add(kind, place, `${module}:${names.join(",")}`, node, modifiers);
    }

    function importNames(clause) {
        const names = [];
        if (clause?.name) names.push("default>" + clause.name.text);
        const bindings = clause?.namedBindings;
        if (bindings && ts.isNamespaceImport(bindings)) names.push("*>" + bindings.name.text);
        if (bindings && ts.isNamedImports(bindings)) names.push(...named(bindings.elements));
        return names;
    }

    function requiredNames(pattern) {
        if (ts.isIdentifier(pattern)) return ["default>" + pattern.text];
        if (!ts.isObjectBindingPattern(pattern)) return ["default>" + shown(pattern)];
        return pattern.elements.map((one) => (one.propertyName ? bare(shown(one.propertyName)) + ">" + shown(one.name) : shown(one.name)));
    }

    function variables(list, statement, place) {
        const keyword = list.flags & ts.NodeFlags.Const ? "const" : list.flags & ts.NodeFlags.Let ? "let" : "var";
        const loops = ts.isForStatement(statement) || ts.isForOfStatement(statement) || ts.isForInStatement(statement);
        for (const one of list.declarations) {
            const isAlone = list.declarations.length === 1 && ts.isIdentifier(one.name);
            const around = isAlone && ts.isVariableStatement(statement) ? statement : one;
            const modifiers = [keyword, ...(ts.isVariableStatement(statement) ? words(statement) : [])];
            if (one.initializer && isRequire(one.initializer)) {
                // Only the position of an import is compared, not the words around it.
                relation("import", place, one, bare(one.initializer.arguments[0].getText(file)), requiredNames(one.name), ["require"]);
                continue;
            }
            if (ts.isIdentifier(one.name) && (isFunction(one.initializer) || isClass(one.initializer))) {
                bound(place, one.name.text, one.initializer, around, modifiers);
                continue;
            }
            if (place.isLocal || loops) {
                each(one, place);
                continue;
            }
            const names = [];
            const collect = (name) => {
                if (ts.isIdentifier(name)) names.push(name.text);
                else name.elements.filter((element) => element.name).forEach((element) => collect(element.name));
            };
            collect(one.name);
            for (const name of names) add("variable", place, name, around, modifiers);
            // The contents of a pattern's value do not belong to any of its names.
            each(one, ts.isIdentifier(one.name) ? within(place, one.name.text, { owner: "variable" }) : place);
        }
    }

    function visit(node, place) {
        switch (node.kind) {
            case K.ClassDeclaration: {
                const name = namedBy(node, "default");
                add("class", place, name, node, words(node));
                return members(node, place, name, "class");
            }
            case K.ClassExpression: {
                const name = namedBy(node, "<anonymous>");
                add("class", place, name, node, words(node));
                return members(node, place, name, "class");
            }
            case K.InterfaceDeclaration:
                add("interface", place, node.name.text, node, words(node));
                return members(node, place, node.name.text, "interface");
            case K.EnumDeclaration:
                add("enum", place, node.name.text, node, words(node));
                return members(node, place, node.name.text, "enum");
            case K.EnumMember: {
                const name = bare(shown(node.name));
                add("enum_member", place, name, node);
                return each(node, within(place, name));
            }
            case K.TypeAliasDeclaration:
                return add("type", place, node.name.text, node, words(node));
            case K.ModuleDeclaration: {
                let [inner, names] = [node, [bare(shown(node.name))]];
                while (inner.body && ts.isModuleDeclaration(inner.body)) {
                    inner = inner.body;
                    names.push(shown(inner.name));
                }
                add("namespace", place, names.join("."), node, words(node));
                return inner.body && each(inner.body, within(place, names.join("."), { owner: "namespace" }));
            }
            case K.FunctionDeclaration: {
                const name = namedBy(node, "default");
                add("function", place, name, node, callableWords(node));
                return body(node, place, name);
            }
            case K.FunctionExpression:
            case K.ArrowFunction:
                return each(node, isInvoked(node) ? place : { ...place, isLocal: true });
            case K.MethodDeclaration:
            case K.MethodSignature:
            case K.GetAccessor:
            case K.SetAccessor: {
                const isOfType = ts.isTypeLiteralNode(node.parent);
                if (isOfType || (ts.isObjectLiteralExpression(node.parent) && place.isNamed)) {
                    return each(node, { ...place, isLocal: true });
                }
                const name = bare(shown(node.name));
                add("method", place, name, node, memberWords(node, name, place));
                return body(node, place, name);
            }
            case K.Constructor: {
                add("constructor", place, "constructor", node, memberWords(node, "", place));
                for (const parameter of node.parameters.filter((one) => ts.isParameterPropertyDeclaration(one, node))) {
                    add("field", place, shown(parameter.name), parameter, memberWords(parameter, "", place));
                }
                return body(node, place, "constructor");
            }
            case K.CallSignature:
            case K.ConstructSignature: {
                if (ts.isTypeLiteralNode(node.parent)) return;
                const name = ts.isCallSignatureDeclaration(node) ? "<call>" : "<new>";
                add("method", place, name, node, memberWords(node, name, place));
                return;
            }
            case K.IndexSignature: {
                if (ts.isTypeLiteralNode(node.parent)) return;
                const name = shown(node).match(/\[[^\]]*\]/)[0];
                add("field", place, name, node, memberWords(node, name, place));
                return;
            }
            case K.ClassStaticBlockDeclaration:
                add("initializer", place, "<static>", node, []);
                return body(node, place, "<static>");
            case K.PropertyDeclaration:
            case K.PropertySignature: {
                if (ts.isTypeLiteralNode(node.parent)) return;
                const name = bare(shown(node.name));
                if (isFunction(node.initializer)) {
                    bound(place, name, node.initializer, node, memberWords(node, name, place), "method");
                    return;
                }
                add("field", place, name, node, memberWords(node, name, place));
                return each(node, within(place, name, { owner: "field" }));
            }
            case K.PropertyAssignment: {
                if (!isFunction(node.initializer)) return each(node, place);
                if (place.isNamed) return each(node, place);
                bound(place, bare(shown(node.name)), node.initializer, node, [], "method");
                return;
            }
            case K.VariableStatement:
                return variables(node.declarationList, node, place);
            case K.VariableDeclarationList:
                return variables(node, node.parent, place);
            case K.ImportDeclaration: {
                const modifiers = node.importClause?.isTypeOnly ? ["type"] : [];
                return relation("import", place, node, node.moduleSpecifier.text, importNames(node.importClause), modifiers);
            }
            case K.ImportEqualsDeclaration:
                if (ts.isExternalModuleReference(node.moduleReference)) {
                    const modifiers = node.isTypeOnly ? ["require", "type"] : ["require"];
                    return relation("import", place, node, node.moduleReference.expression.text, [node.name.text], modifiers);
                }
                return add("type", place, node.name.text, node, words(node));
            case K.ExportDeclaration: {
                const modifiers = node.isTypeOnly ? ["type"] : [];
                const clause = node.exportClause;
                const names = !clause ? ["*"]
                    : ts.isNamespaceExport(clause) ? ["*>" + bare(shown(clause.name))]
                    : named(clause.elements);
                return relation("export", place, node, node.moduleSpecifier?.text ?? "", names, modifiers);
            }
            case K.ExportAssignment: {
                const value = node.expression;
                if (!node.isExportEquals && isFunction(value)) {
                    return bound(place, namedBy(value, "default"), value, node, ["export", "default"]);
                }
                const [name, modifiers] = node.isExportEquals ? [value.text, ["assigned"]] : [value.text + ">default", []];
                relation("export", place, node, "", ts.isIdentifier(value) ? [name] : node.isExportEquals ? [] : ["default"], modifiers);
                return each(node, place);
            }
            case K.NamespaceExportDeclaration:
                return relation("export", place, node, "", [node.name.text], ["namespace"]);
            case K.CallExpression: {
                if (node.expression.kind === K.ImportKeyword) {
                    relation("import", place, node, bare(shown(node.arguments[0])), [], ["dynamic"]);
                } else if (isRequire(node)) {
                    relation("import", place, node, node.arguments[0].text, [], ["require"]);
                }
                return each(node, place);
            }
            case K.BinaryExpression:
                return node.operatorToken.kind === K.EqualsToken ? assignment(node, place) : each(node, place);
            default:
                return each(node, place);
        }
    }

    // CommonJS, and members of prototypes.
    function assignment(node, place) {
        const [left, right] = [shown(node.left), node.right];
        const exported = left.match(/^(?:module\.)?exports(?:\.([\p{ID_Continue}$]+))?$/u);
        if ((isFunction(right) || isClass(right)) && (ts.isPropertyAccessExpression(node.left) || ts.isIdentifier(node.left))) {
            if (place.isNamed) return each(node, place);
            bound(place, /^(module\.)?exports$/.test(left) ? "default" : left.replace(/^(module\.)?exports\./, ""), right, node, []);
            return;
        }
        if (exported) {
            const names = exported[1] ? [exported[1]]
                : ts.isObjectLiteralExpression(right) ? right.properties.map((one) => (one.name ? bare(shown(one.name)) : shown(one)))
                : ["default"];
            relation("export", place, node, "", names, ["commonjs"]);
        }
        each(node, place);
    }

    each(file, { names: [], owner: "file", isNamed: false, isLocal: false });
    return found;
}
