package raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import common.Mutations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Scenarios from papers, KIPs and known bugs, as texts: {@code src/test/resources/raft}. {@link RaftScript} says how to read and to write them. */
class RaftScriptTest {
    private static final Path SCRIPTS = Path.of("src/test/resources/raft");

    static List<Path> scripts() throws IOException {
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void goesAsWritten(Path script) throws IOException {
        String text = Files.readString(script);
        assertEquals(text, RaftScript.run(text, Mutations.NONE));
        assertFalse(text.contains("BROKEN"));
    }

    /** The scenario of Raft's figure 8 is one: with the bug that it warns of, it ends badly. */
    @Test
    void figure8WithoutTheRule() throws IOException {
        String text = Files.readString(SCRIPTS.resolve("figure8.txt"));
        String broken = RaftScript.run(text, "raft-commit-old-epoch"::equals);
        assertEquals(List.of("BROKEN: R6 own epoch"), brokenRules(broken));
    }

    private static List<String> brokenRules(String text) {
        return text.lines()
                .filter(each -> each.startsWith("BROKEN"))
                .map(each -> each.substring(0, each.indexOf(':', 8)))
                .limit(1)
                .toList();
    }
}
