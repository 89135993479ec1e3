package launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import launcher.FakeHome.Run;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LauncherTest {

    @TempDir
    private Path temporary;

    private FakeHome fake;
    private Path launcher;

    @BeforeEach
    void prepare() throws IOException {
        fake = new FakeHome(temporary);
        launcher = fake.home().resolve("bin/highwater");
    }

    @Test
    void firstStartBuildsAndTheNextDoesNot() throws Exception {
        Run first = fake.start("--override", "log.dirs=/a b");
        assertEquals(0, first.exitCode(), first.err());
        assertEquals(1, fake.builds());
        assertTrue(first.out().contains("arg:--override\narg:log.dirs=/a b\n"), first.out());
        assertTrue(first.err().contains("building with Java"), first.err());

        Run second = fake.start();
        assertEquals(1, fake.builds());
        assertEquals("", second.err(), "a start without a build is silent");
    }

    @Test
    void newerSourcesAreBuilt() throws Exception {
        fake.start();
        Path source = fake.home().resolve("src/main/java/A.java");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
        fake.start();
        assertEquals(2, fake.builds());
    }

    @Test
    void failedBuildTellsTheReason() throws Exception {
        fake.breakBuild();
        Run run = fake.start();
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("A.java: the sky has fallen"), run.err());
        assertTrue(run.err().contains("build.log"), run.err());
        assertFalse(run.err().contains("Help 1"), run.err());
        assertEquals("", run.out(), "nothing was started");
    }

    @Test
    void brokerIsTheLaunchersProcessAndItsCommandLineShowsTheConfig() throws Exception {
        Run run =
                fake.start("--config", fake.home().resolve("conf/x.properties").toString());
        assertEquals(String.valueOf(run.pid()), run.value("pid"));
        assertTrue(run.value("command").contains("my home/conf/x.properties"), run.out());
    }

    @Test
    void worksFromAnywhereAndThroughLinks() throws Exception {
        Path elsewhere = Files.createDirectories(temporary.resolve("else where"));
        Path first = Files.createSymbolicLink(elsewhere.resolve("first"), launcher);
        Path second = Files.createSymbolicLink(elsewhere.resolve("second"), first.getFileName());
        Run run = fake.run(Map.of(), elsewhere, second, "start", "--config", "relative.properties");
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("arg:relative.properties"), run.out());
        assertEquals(elsewhere.toRealPath().toString(), run.value("directory"));
    }

    @Test
    void heapIsModestAndCanBeChanged() throws Exception {
        long modest = Long.parseLong(fake.start().value("heap"));
        assertTrue(modest > 256 && modest <= 512, "heap of " + modest + " MB");
        Run larger = fake.run(Map.of("HIGHWATER_OPTS", "-Xmx600m -XX:+UseG1GC"), fake.home(), launcher, "start");
        assertEquals("600", larger.value("heap"), larger.err());
    }

    /** Whatever part of the heap is asked for, smaller or larger than ours: the JVM starts, and it counts. */
    @Test
    void anyHeapThatIsAskedForCounts() throws Exception {
        String collector = " -XX:+UseG1GC";
        for (String option : List.of("-Xmx32m", "-XX:MaxHeapSize=32m", "-Xms16m -Xmx32m")) {
            Run small = fake.run(Map.of("HIGHWATER_OPTS", option + collector), fake.home(), launcher, "start");
            assertEquals("32", small.value("heap"), option + small.out() + small.err());
        }
        for (String option : List.of("-Xms512m", "-XX:InitialHeapSize=512m", "-XX:MaxRAM=4g -XX:MaxRAMPercentage=25")) {
            Run large = fake.run(Map.of("HIGHWATER_OPTS", option + collector), fake.home(), launcher, "start");
            assertEquals(0, large.exitCode(), option + large.out() + large.err());
            assertTrue(Long.parseLong(large.value("heap")) >= 512, option + large.out());
        }
    }

    @Test
    void ownJavaHomeWinsAndMustDo() throws Exception {
        fake.start();
        Path jdk = fake.fakeJdk("21.0.1");
        Map<String, String> own = Map.of("HIGHWATER_JAVA_HOME", jdk.toString());
        assertEquals(99, fake.run(own, fake.home(), launcher, "start").exitCode(), "the fake java ran");

        Map<String, String> old =
                Map.of("HIGHWATER_JAVA_HOME", fake.fakeJdk("11.0.2").toString());
        Run refused = fake.run(old, fake.home(), launcher, "start");
        assertEquals(1, refused.exitCode());
        assertTrue(refused.err().contains("has only Java 11.0.2"), refused.err());

        Map<String, String> none = Map.of("HIGHWATER_JAVA_HOME", temporary.toString());
        assertTrue(fake.run(none, fake.home(), launcher, "start").err().contains("has no bin/java"));
    }

    @Test
    void oldJavaHomeIsPassedOver() throws Exception {
        for (String version : List.of("11.0.2", "1.8.0_392")) {
            Path old = fake.fakeJdk(version);
            String path = Path.of(System.getProperty("java.home"), "bin") + ":" + System.getenv("PATH");
            Map<String, String> environment = Map.of("JAVA_HOME", old.toString(), "PATH", path);
            Run run = fake.run(environment, fake.home(), launcher, "start");
            assertEquals(0, run.exitCode(), run.err());
            assertNotEquals(old.toString(), run.value("java"));
        }
    }

    @Test
    void unusableArchiveIsPassedOverSilently() throws Exception {
        fake.start();
        Path archives = Files.createDirectories(fake.home().resolve("target/cds"));
        String version = System.getProperty("java.version");
        Files.write(archives.resolve("broker-" + version + ".jsa"), new byte[10_000]);
        Run run = fake.start();
        assertEquals(0, run.exitCode(), run.err());
        assertEquals("", run.err());
        assertTrue(run.out().startsWith("pid:"), run.out());
    }

    @Test
    void helpNeedsNeitherBuildNorJava() throws Exception {
        Map<String, String> noJava = Map.of("HIGHWATER_JAVA_HOME", "/nowhere");
        for (List<String> words : List.of(
                List.<String>of(), List.of("--help"), List.of("start", "--help"), List.of("format", "--help"))) {
            Run run = fake.run(noJava, fake.home(), launcher, words.toArray(String[]::new));
            assertEquals(0, run.exitCode(), run.err());
            assertTrue(run.out().contains("Usage: highwater"), run.out());
        }
        assertEquals(0, fake.builds());
    }
}
