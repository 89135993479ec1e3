package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import cli.Screen;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code highwater cluster demo} with the settings of {@code conf/cluster}, and this build as the program. */
class ClusterDemoTest {
    private static final int LAST_OFFSET = 102;

    @TempDir
    private Path home;

    @Test
    void threeNodesStartShowThemselvesAndStop() throws Exception {
        Path program = Files.createDirectories(home.resolve("bin")).resolve("highwater");
        Files.write(
                program,
                List.of(
                        "#!/bin/sh",
                        "shift",
                        "exec '" + Path.of(System.getProperty("java.home"), "bin", "java") + "' "
                                + String.join(" ", BrokerOfThisBuild.OPTIONS) + " -cp '"
                                + System.getProperty("java.class.path") + "' verticles.Main \"$@\""));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        Path conf = Files.createDirectories(home.resolve("conf/cluster"));
        for (int id = 1; id <= ClusterOfThisBuild.NODES; id++) {
            Files.copy(Path.of("conf/cluster/node" + id + ".properties"), conf.resolve("node" + id + ".properties"));
        }
        Path data = home.resolve("demo");
        Screen screen = new Screen();
        String before = System.getProperty("highwater.home");
        System.setProperty("highwater.home", home.toString());
        try {
            int code = screen.run(
                    "", "cluster", "demo", "--once", "--directory", data.toString(), "--port", String.valueOf(port()));
            assertEquals(0, code, screen.err());
        } finally {
            if (before == null) {
                System.clearProperty("highwater.home");
            } else {
                System.setProperty("highwater.home", before);
            }
        }
        assertTrue(screen.out().contains("3 node(s)"), screen.out());
        assertTrue(screen.out().contains("demo  id "), screen.out());
        assertTrue(screen.out().lines().anyMatch(line -> line.matches("node 2: kill -9 \\d+ .*")), screen.out());
        assertTrue(screen.err().endsWith("stopping the nodes\n"), screen.err());
        for (int id = 1; id <= ClusterOfThisBuild.NODES; id++) {
            String said = Files.readString(data.resolve("node" + id + ".log"));
            assertTrue(said.contains("stopped cleanly"), said);
            assertFalse(said.contains(" ERROR "), said);
        }
    }

    /** Whose neighbours, and those of its controllers, are free, too. */
    private static int port() throws Exception {
        while (true) {
            int port = FreePort.choose();
            boolean free = true;
            for (int offset : new int[] {1, 2, LAST_OFFSET - 2, LAST_OFFSET - 1, LAST_OFFSET}) {
                free &= FreePort.isFree(port + offset);
            }
            if (free) {
                return port;
            }
        }
    }
}
