// Prints what the JDK's own compiler finds in sampled files of a source archive, which it also unpacks: one line per
// class, method, field, initializer and import. Arguments: archive, folder to unpack to, every how many files.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.zip.*;
import javax.tools.*;

public class Reader extends TreeScanner<Void, Void> {
    static PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    final CompilationUnitTree unit;
    final SourcePositions positions;
    final String path, text;
    final Deque<String> names = new ArrayDeque<>();
    final Deque<ClassTree> classes = new ArrayDeque<>();

    Reader(CompilationUnitTree unit, SourcePositions positions, String path, String text) {
        this.unit = unit;
        this.positions = positions;
        this.path = path;
        this.text = text;
    }

    public static void main(String[] args) throws Exception {
        var folder = Path.of(args[1]);
        int step = Integer.parseInt(args[2]);
        var files = new ArrayList<JavaFileObject>();
        var texts = new HashMap<String, String>();
        try (var zip = new ZipFile(args[0])) {
            var entries = new TreeMap<String, ZipEntry>();
            zip.stream().filter(e -> e.getName().endsWith(".java")).forEach(e -> entries.put(e.getName(), e));
            int at = 0;
            for (var entry : entries.values()) {
                if (at++ % step != 0) continue;
                var target = folder.resolve(entry.getName().replace('/', '~'));
                var bytes = zip.getInputStream(entry).readAllBytes();
                Files.write(target, bytes);
                var text = new String(bytes, StandardCharsets.UTF_8);
                var uri = target.toUri();
                texts.put(uri.toString(), text);
                files.add(new SimpleJavaFileObject(uri, JavaFileObject.Kind.SOURCE) {
                    @Override public CharSequence getCharContent(boolean ignore) { return text; }
                });
            }
        }
        var compiler = ToolProvider.getSystemJavaCompiler();
        var task = (JavacTask) compiler.getTask(null, null, d -> {}, List.of("-proc:none"), null, files);
        var positions = Trees.instance(task).getSourcePositions();
        for (var unit : task.parse()) {
            var uri = unit.getSourceFile().toUri();
            var path = Path.of(uri).toString();
            out.println(path + "\tread");
            new Reader(unit, positions, path, texts.get(uri.toString())).scan(unit, null);
        }
        out.flush();
    }

    void fact(String kind, String name, Tree tree, boolean withEnd) {
        long start = positions.getStartPosition(unit, tree), end = positions.getEndPosition(unit, tree);
        var lines = unit.getLineMap();
        var last = withEnd ? String.valueOf(lines.getLineNumber(Math.max(start, end - 1))) : "-";
        out.println(path + "\t" + kind + "\t" + name + "\t" + lines.getLineNumber(start) + "\t" + last);
    }

    String qualified(String name) {
        names.addLast(name);
        var joined = String.join(".", names);
        names.removeLast();
        return joined;
    }

    @Override public Void visitImport(ImportTree tree, Void none) {
        fact("import", (tree.isStatic() ? "static " : "") + tree.getQualifiedIdentifier(), tree, false);
        return null;
    }

    @Override public Void visitClass(ClassTree tree, Void none) {
        var kind = tree.getKind() == Tree.Kind.ANNOTATION_TYPE ? "annotation" : tree.getKind().name().toLowerCase();
        fact(kind, qualified(tree.getSimpleName().toString()), tree, true);
        members(tree, tree.getSimpleName().toString());
        return null;
    }

    void members(ClassTree tree, String name) {
        names.addLast(name);
        classes.addLast(tree);
        scan(tree.getModifiers(), null);
        for (var member : tree.getMembers()) scan(member, null);
        classes.removeLast();
        names.removeLast();
    }

    @Override public Void visitNewClass(NewClassTree tree, Void none) {
        scan(tree.getEnclosingExpression(), null);
        scan(tree.getArguments(), null);
        if (tree.getClassBody() != null) {
            int start = (int) positions.getStartPosition(unit, tree.getIdentifier());
            int end = text.indexOf('(', start);
            var name = "<anonymous " + text.substring(start, end).trim().replaceAll("\\s+", " ") + ">";
            fact("class", qualified(name), tree, true);
            members(tree.getClassBody(), name);
        }
        return null;
    }

    @Override public Void visitMethod(MethodTree tree, Void none) {
        var name = tree.getName().toString();
        if (name.equals("<init>")) name = names.peekLast();
        fact("method", qualified(name), tree, true);
        names.addLast(name);
        scan(tree.getDefaultValue(), null);
        scan(tree.getBody(), null);
        names.removeLast();
        return null;
    }

    @Override public Void visitBlock(BlockTree tree, Void none) {
        boolean member = !classes.isEmpty() && classes.peekLast().getMembers().contains(tree);
        if (!member) return super.visitBlock(tree, none);
        var name = tree.isStatic() ? "<static>" : "<instance>";
        fact("initializer", qualified(name), tree, false);
        names.addLast(name);
        super.visitBlock(tree, none);
        names.removeLast();
        return null;
    }

    @Override public Void visitVariable(VariableTree tree, Void none) {
        boolean member = !classes.isEmpty() && classes.peekLast().getMembers().contains(tree);
        if (!member) return super.visitVariable(tree, none);
        var name = tree.getName().toString();
        var owner = classes.peekLast();
        boolean isStatic = tree.getModifiers().getFlags().contains(javax.lang.model.element.Modifier.STATIC);
        // The components of a record are not fields in its text.
        if (owner.getKind() == Tree.Kind.RECORD && !isStatic) return null;
        var constant = owner.getKind() == Tree.Kind.ENUM && tree.getInitializer() instanceof NewClassTree made
            // The compiler invents the type of a constant, which has no end position.
            && positions.getEndPosition(unit, made.getIdentifier()) < 0 ? made : null;
        fact(constant != null ? "enum_member" : "field", qualified(name), tree, false);
        names.addLast(name);
        if (constant != null) {
            scan(constant.getArguments(), null);
            if (constant.getClassBody() != null) {
                classes.addLast(constant.getClassBody());
                for (var inner : constant.getClassBody().getMembers()) scan(inner, null);
                classes.removeLast();
            }
        } else {
            scan(tree.getInitializer(), null);
        }
        names.removeLast();
        return null;
    }
}
