// The right answers of the tasks in Java, from javac's own parser.
//
//     java Answers.java KIND ARGUMENT...        in the folder of the tree
//
// Prints one line for each thing that must have been seen; `re:` begins a regular expression.

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

public class Answers {
    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "source" -> source(Path.of(arguments[1]), arguments[2]);
            case "callers" -> callers(arguments[1]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** All lines of a method, given as its class and its name. */
    static void source(Path path, String dotted) throws IOException {
        JavacTask task = task(List.of(path));
        SourcePositions positions = Trees.instance(task).getSourcePositions();
        List<String> lines = Files.readAllLines(path, StandardCharsets.UTF_8);
        for (CompilationUnitTree unit : task.parse()) {
            new TreePathScanner<Void, Void>() {
                @Override
                public Void visitMethod(MethodTree method, Void none) {
                    if (named(getCurrentPath()).equals(dotted)) {
                        long start = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, method));
                        long end = unit.getLineMap().getLineNumber(positions.getEndPosition(unit, method) - 1);
                        lines.subList((int) start - 1, (int) end).forEach(System.out::println);
                    }
                    return super.visitMethod(method, none);
                }
            }.scan(unit, null);
        }
    }

    /** The methods that call something of this name: each with its file. */
    static void callers(String name) throws IOException {
        for (Path path : sources()) {
            TreeSet<String> found = new TreeSet<>();
            for (CompilationUnitTree unit : task(List.of(path)).parse()) {
                new TreePathScanner<Void, Void>() {
                    @Override
                    public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
                        TreePath around = around(getCurrentPath());
                        if (called(call.getMethodSelect()).equals(name) && around != null) {
                            found.add(named(around));
                        }
                        return super.visitMethodInvocation(call, none);
                    }
                }.scan(unit, null);
            }
            if (!found.isEmpty()) {
                System.out.println(path);
            }
            for (String dotted : found) {
                String method = dotted.substring(dotted.lastIndexOf('.') + 1);
                // Its definition, or its name in a list of elements.
                System.out.println("re:(\\w[>\\]]? " + method + "\\(|\\b" + dotted.replace(".", "\\.") + "\\b)");
            }
        }
    }

    /** The innermost method around a node. */
    static TreePath around(TreePath path) {
        while (path != null && path.getLeaf().getKind() != Tree.Kind.METHOD) {
            path = path.getParentPath();
        }
        return path;
    }

    /** The class and the name of a method. */
    static String named(TreePath method) {
        Tree parent = method.getParentPath().getLeaf();
        String owner = parent instanceof ClassTree type ? type.getSimpleName().toString() : "";
        return owner + "." + ((MethodTree) method.getLeaf()).getName();
    }

    static String called(ExpressionTree select) {
        return select instanceof IdentifierTree name
                ? name.getName().toString()
                : select instanceof MemberSelectTree member ? member.getIdentifier().toString() : "";
    }

    /** Every file of the tree, by path. */
    static List<Path> sources() throws IOException {
        try (Stream<Path> all = Files.walk(Path.of("."))) {
            return all.filter(path -> path.toString().endsWith(".java")).map(Path::normalize).sorted().toList();
        }
    }

    /** Only parsed: the libraries that the sources use are not here. */
    static JavacTask task(List<Path> paths) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        var files = manager.getJavaFileObjectsFromPaths(paths);
        return (JavacTask) compiler.getTask(null, manager, null, List.of("-proc:none"), null, files);
    }
}
