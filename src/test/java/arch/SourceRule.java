package arch;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** R9, over source text: sizes and no suppressions. */
final class SourceRule {

    static final int MAX_CLASS_LINES = 600;
    static final int MAX_METHOD_LINES = 70;
    static final int MAX_PARAMETERS = 7;
    static final int MAX_VERTICLE_LINES = 250;

    private static final List<String> SUPPRESSIONS = List.of(
            "spotless:" + "off", "noinspection" + " ", "@formatter:" + "off", "NOPMD" + " ", "CHECKSTYLE" + ":");

    /** Checks source texts by their paths. One compiler task parses them all: starting one costs more than a file does. */
    List<Violation> check(Map<String, String> sources) {
        List<Violation> found = new ArrayList<>();
        List<Text> texts = new ArrayList<>();
        sources.forEach((path, text) -> {
            texts.add(new Text(path, text));
            for (String mark : SUPPRESSIONS) {
                if (text.contains(mark)) {
                    found.add(new Violation(path, "has a suppression: " + mark.trim()));
                }
            }
        });
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask task =
                (JavacTask) compiler.getTask(new StringWriter(), null, null, List.of("-proc:none"), null, texts);
        SourcePositions positions = Trees.instance(task).getSourcePositions();
        try {
            for (CompilationUnitTree unit : task.parse()) {
                String path = unit.getSourceFile().getName().substring(1);
                new Sizes(path, unit, positions, found).scan(unit, null);
            }
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
        return found;
    }

    private static final class Text extends SimpleJavaFileObject {
        private final String text;

        Text(String path, String text) {
            super(URI.create("string:///" + path), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Sizes extends TreePathScanner<Void, Void> {
        private final String path;
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<Violation> found;

        Sizes(String path, CompilationUnitTree unit, SourcePositions positions, List<Violation> found) {
            this.path = path;
            this.unit = unit;
            this.positions = positions;
            this.found = found;
        }

        @Override
        public Void visitClass(ClassTree node, Void unused) {
            int lines = lines(node);
            if (lines > MAX_CLASS_LINES) {
                add(node.getSimpleName() + " has " + lines + " lines; at most " + MAX_CLASS_LINES);
            }
            boolean verticle = node.getSimpleName().toString().endsWith("Verticle");
            if (verticle && lines > MAX_VERTICLE_LINES) {
                add(node.getSimpleName() + " has " + lines + " lines; a verticle has at most " + MAX_VERTICLE_LINES);
            }
            return super.visitClass(node, unused);
        }

        @Override
        public Void visitMethod(MethodTree node, Void unused) {
            int lines = lines(node);
            if (lines > MAX_METHOD_LINES) {
                add(node.getName() + " has " + lines + " lines; at most " + MAX_METHOD_LINES);
            }
            boolean ofRecord = getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.RECORD
                    && node.getReturnType() == null;
            int parameters = node.getParameters().size();
            if (parameters > MAX_PARAMETERS && !ofRecord) {
                add(node.getName() + " has " + parameters + " parameters; at most " + MAX_PARAMETERS);
            }
            return super.visitMethod(node, unused);
        }

        @Override
        public Void visitAnnotation(AnnotationTree node, Void unused) {
            if (node.getAnnotationType().toString().endsWith("SuppressWarnings")) {
                add("has a suppression: " + node);
            }
            return super.visitAnnotation(node, unused);
        }

        private int lines(Tree node) {
            LineMap map = unit.getLineMap();
            long start = positions.getStartPosition(unit, node);
            long end = positions.getEndPosition(unit, node);
            return start < 0 || end < 0 ? 0 : (int) (map.getLineNumber(end) - map.getLineNumber(start) + 1);
        }

        private void add(String what) {
            found.add(new Violation(path, what));
        }
    }
}
