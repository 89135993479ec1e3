package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartOptionsTest {
    @TempDir
    Path directory;

    @Test
    void nothingGivenIsAllDefaults() {
        assertEquals(Map.of(), StartOptions.parse().properties());
    }

    @Test
    void overridesWinOverTheFileAndMayHoldEquals() throws IOException {
        Path file = directory.resolve("server.properties");
        Files.writeString(file, "# Größe\nnode.id = 3 \nlog.dirs=/a,\\\n  /b\n");
        for (String[] arguments : new String[][] {
            {"--config", file.toString(), "--override", "node.id=4", "--override=x=a=b"},
            {"--override", "node.id=4", file.toString(), "--override", "x=a=b"},
            {"--config=" + file, "--override=node.id=4", "--override", "x = a=b"},
        }) {
            assertEquals(
                    Map.of("node.id", "4", "log.dirs", "/a,/b", "x", "a=b"),
                    StartOptions.parse(arguments).properties());
        }
    }

    @Test
    void mistakesAreNamed() throws IOException {
        Path bad = directory.resolve("bad");
        Files.writeString(bad, "a=\\u12");
        assertTrue(refused("--frobnicate").contains("--frobnicate"));
        assertTrue(refused("--config").contains("--config"));
        assertTrue(refused("--override", "nothing").contains("KEY=VALUE"));
        assertTrue(refused("--override", "=x").contains("KEY=VALUE"));
        assertTrue(refused("a", "b").contains("two configuration files"));
        assertTrue(refused("--config", "/no/such/file").contains("no such file"));
        assertTrue(refused("--config", directory.toString()).contains(directory.toString()));
        assertTrue(refused("--config", bad.toString()).contains("cannot be read"));
    }

    private static String refused(String... arguments) {
        return assertThrows(
                        StartException.class,
                        () -> StartOptions.parse(arguments).properties())
                .getMessage();
    }

    @Test
    void helpIsAnOption() {
        assertTrue(StartOptions.parse("--help").help());
    }
}
