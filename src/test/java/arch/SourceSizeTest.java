package arch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** R9 over the sources, and over planted texts. */
class SourceSizeTest {

    private static final int FEWEST_FILES = 200;

    private final SourceRule rule = new SourceRule();

    @Test
    void sourcesKeepRule() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        for (String root : List.of("src/main/java", "src/test/java")) {
            try (Stream<Path> paths = Files.walk(Path.of(root))) {
                for (Path path :
                        paths.filter(file -> file.toString().endsWith(".java")).toList()) {
                    sources.put(path.toString(), Files.readString(path));
                }
            }
        }
        assertTrue(sources.size() > FEWEST_FILES, "only " + sources.size() + " files were looked at");
        List<Violation> found = rule.check(sources);
        // Tests may silence the compiler where a hand-written fake needs it; the product may not.
        found.removeIf(violation -> violation.className().startsWith("src/test/")
                && violation.what().contains("suppression"));
        assertTrue(
                found.isEmpty(),
                () -> "R9 is broken:\n"
                        + found.stream().map(Violation::toString).collect(Collectors.joining("\n")));
    }

    @Test
    void sizesAtTheirLimitsPass() {
        assertEquals(List.of(), check(classOf("Fine", SourceRule.MAX_CLASS_LINES)));
        assertEquals(List.of(), check(classOf("FineVerticle", SourceRule.MAX_VERTICLE_LINES)));
        assertEquals(List.of(), check(methodOf(SourceRule.MAX_METHOD_LINES, SourceRule.MAX_PARAMETERS)));
        assertEquals(List.of(), check("record Wide(int a, int b, int c, int d, int e, int f, int g, int h) {}"));
    }

    @Test
    void longClassIsFound() {
        assertEquals(1, check(classOf("Long", SourceRule.MAX_CLASS_LINES + 1)).size());
    }

    @Test
    void longVerticleIsFound() {
        assertEquals(
                1,
                check(classOf("LongVerticle", SourceRule.MAX_VERTICLE_LINES + 1))
                        .size());
    }

    @Test
    void longMethodIsFound() {
        assertEquals(1, check(methodOf(SourceRule.MAX_METHOD_LINES + 1, 0)).size());
    }

    @Test
    void manyParametersAreFound() {
        assertEquals(1, check(methodOf(3, SourceRule.MAX_PARAMETERS + 1)).size());
    }

    @Test
    void suppressionsAreFound() {
        assertEquals(
                1, check("@Suppress" + "Warnings(\"unchecked\") class Quiet {}").size());
        assertEquals(1, check("class Quiet { // spotless:" + "off\n}").size());
    }

    private List<Violation> check(String text) {
        return rule.check(Map.of("planted/Planted.java", text));
    }

    private static String classOf(String name, int lines) {
        return "class " + name + " {\n" + "\n".repeat(lines - 2) + "}\n";
    }

    private static String methodOf(int lines, int parameters) {
        String list = Stream.iterate(0, i -> i + 1)
                .limit(parameters)
                .map(i -> "int p" + i)
                .collect(Collectors.joining(", "));
        return "class Planted {\nvoid method(" + list + ") {\n" + "\n".repeat(lines - 2) + "}\n}\n";
    }
}
