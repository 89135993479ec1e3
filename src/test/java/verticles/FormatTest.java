package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.properties.MetaProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FormatTest {
    private static final String CLUSTER = "cGVlcmthZmthY2x1c3RlcQ";
    private static final String SNAPSHOT = "__cluster_metadata-0/00000000000000000000-0000000000.checkpoint";
    private static final String DIRECTORY = "3Db5QLSqSZieL3rJBUUegA";

    @TempDir
    Path temporary;

    /** A controller that is one of several. */
    private List<String> node(int id, String... more) {
        List<String> arguments = new ArrayList<>();
        for (String each : List.of(
                "node.id=" + id,
                "listeners=PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:9093",
                "controller.listener.names=CONTROLLER",
                "controller.quorum.bootstrap.servers=a:9093,b:9093",
                "log.dirs=" + temporary.resolve("one") + "," + temporary.resolve("two"))) {
            arguments.addAll(List.of("--override", each));
        }
        arguments.addAll(List.of(more));
        return arguments;
    }

    private static String format(List<String> arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Format.run(new PrintStream(out, true, StandardCharsets.UTF_8), arguments.toArray(new String[0]));
        return out.toString(StandardCharsets.UTF_8);
    }

    private static String refused(List<String> arguments) {
        return assertThrows(StartException.class, () -> format(arguments)).getMessage();
    }

    private Properties meta(String directory) throws IOException {
        Properties meta = new Properties();
        meta.load(new StringReader(Files.readString(temporary.resolve(directory).resolve("meta.properties"))));
        return meta;
    }

    @Test
    void allDirectoriesAreMadeAndSayWhoseTheyAre() throws IOException {
        String told = format(node(3, "--standalone", "--cluster-id", CLUSTER));
        assertEquals(2, told.lines().count(), told);
        // Kafka's own reader, as its tools use it.
        for (String each : List.of("one", "two")) {
            MetaProperties read = new MetaProperties.Builder(meta(each)).build();
            assertEquals(CLUSTER, read.clusterId().orElseThrow());
            assertEquals(3, read.nodeId().orElseThrow());
            assertTrue(told.contains(read.directoryId().orElseThrow().toString()));
        }
        assertNotEquals(meta("one").getProperty("directory.id"), meta("two").getProperty("directory.id"));
        assertTrue(Files.exists(temporary.resolve("one").resolve(SNAPSHOT)));
        assertFalse(Files.exists(temporary.resolve("two").resolve(SNAPSHOT)));
    }

    @Test
    void severalBeginTogetherByTheirDirectories() throws IOException {
        String list = "3@c3:9093:" + DIRECTORY + ",4@[::1]:9093:" + Uuid.randomUuid();
        format(node(3, "-I", list, "-t", CLUSTER));
        assertEquals(DIRECTORY, meta("one").getProperty("directory.id"));
        assertTrue(Files.exists(temporary.resolve("one").resolve(SNAPSHOT)));
    }

    @Test
    void whoIsNotInTheListLearnsFromTheOthers() throws IOException {
        format(node(5, "-I", "3@c3:9093:" + DIRECTORY, "-t", CLUSTER));
        assertEquals(CLUSTER, meta("one").getProperty("cluster.id"));
        assertFalse(Files.exists(temporary.resolve("one").resolve("__cluster_metadata-0")));
    }

    @Test
    void aNodeOfItsOwnNeedsNothingSaid() throws IOException {
        List<String> alone = List.of("--override", "log.dirs=" + temporary.resolve("one"));
        format(alone);
        assertFalse(meta("one").getProperty("cluster.id").isEmpty());
        assertTrue(refused(alone).contains("is formatted already. --ignore-formatted leaves it"));
        List<String> again = new ArrayList<>(alone);
        again.add("-g");
        String before = meta("one").getProperty("directory.id");
        assertTrue(format(again).startsWith("left "));
        assertEquals(before, meta("one").getProperty("directory.id"));
    }

    @Test
    void whatIsNoLogDirectoryIsLeftAlone() throws IOException {
        Path photo = temporary.resolve("one").resolve("photo.jpg");
        Files.createDirectories(photo.getParent());
        Files.writeString(photo, "x");
        assertTrue(refused(node(3, "--standalone")).contains("photo.jpg"));
        assertFalse(Files.exists(temporary.resolve("one").resolve("meta.properties")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|who votes in the quorum that this controller belongs to?",
                "--standalone --no-initial-controllers|give only one of",
                "--no-initial-controllers|--cluster-id is needed",
                "--cluster-id a.b|allowed are 1 to 64 letters",
                "-t a --override cluster.id=b -s|--cluster-id a: the settings say cluster.id=b",
                "-I 3@c3:9093|'3@c3:9093' is no controller: expected id@host:port:directory-id",
                "-I 3@c3:99999:3Db5QLSqSZieL3rJBUUegA|is no controller",
                "-I 3@c:1:3Db5QLSqSZieL3rJBUUegA,3@d:1:3Db5QLSqSZieL3rJBUUegA|node 3 is named twice",
                "--release-version 4.0|unknown option --release-version",
                "--cluster-id|a value is missing",
                "-s --override controller.quorum.voters=3@a:1|controller.quorum.voters is set, and says who votes",
                "-s --override listeners=PLAINTEXT://:1,CONTROLLER://:0|has a free port, which others cannot know",
            })
    void refusesWithAReason(String more, String reason) {
        List<String> arguments = more.isEmpty() ? List.of() : List.of(more.split(" ", -1));
        String told = refused(node(3, arguments.toArray(new String[0])));
        assertTrue(told.contains(reason), told);
    }
}
