package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Usage and words, as far as they need no broker. */
class HighwaterCliTest {

    /** A port that nothing listens on here. */
    private static final String NOBODY = "127.0.0.1:1";

    private final Screen screen = new Screen();

    @Test
    void helpTeaches() {
        assertEquals(HighwaterCli.OK, screen.run("", "--help"));
        for (String command : List.of(
                "start",
                "topics",
                "produce",
                "consume",
                "groups",
                "transactions",
                "cluster",
                "config",
                "dump",
                "version")) {
            assertTrue(screen.out().contains("  " + command), command);
        }
        assertTrue(screen.out().contains("highwater consume greetings --from beginning"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"topics", "produce", "consume", "groups", "transactions", "cluster", "config", "dump"})
    void everyCommandHasHelpWithExamples(String command) {
        assertEquals(HighwaterCli.OK, screen.run("", command, "--help"));
        assertTrue(screen.out().contains("Usage: highwater " + command), screen.out());
        assertTrue(screen.out().contains("Examples:"), screen.out());
        assertEquals(HighwaterCli.OK, screen.run("", "help", command));
    }

    @Test
    void formatTokensAreShownWithOnePercentSign() {
        screen.run("", "consume", "--help");
        assertTrue(screen.out().contains("%t topic, %p partition"), screen.out());
        assertTrue(screen.out().contains("%% a percent sign"), screen.out());
    }

    @Test
    void unknownWordsAreUsageProblems() {
        assertEquals(HighwaterCli.USAGE, screen.run("", "frob"));
        assertTrue(screen.err().contains("no command 'frob'"), screen.err());
        assertEquals(HighwaterCli.USAGE, screen.run("", "topics", "frob"));
        assertTrue(screen.err().contains("create, list, describe, alter, delete"), screen.err());
        assertEquals(HighwaterCli.USAGE, screen.run("", "topics", "create", "x", "--partitions", "many"));
        assertTrue(screen.err().contains("--partitions"), screen.err());
        assertEquals(HighwaterCli.USAGE, screen.run("", "config", "describe"));
        assertEquals(HighwaterCli.USAGE, screen.run("", "groups", "reset"));
        assertTrue(screen.err().contains("list, describe, reset-offsets, delete-offsets, delete"), screen.err());
    }

    @Test
    void unreachableBrokerIsToldAtOnceWithWhatToDo() {
        for (String command : List.of("topics list", "topics describe x", "produce x", "consume x", "groups list")) {
            assertEquals(HighwaterCli.FAILED, screen.run("line\n", (command + " -b " + NOBODY).split(" ", -1)));
            assertTrue(screen.err().contains("cannot reach a broker at " + NOBODY), screen.err());
            assertTrue(screen.err().contains("highwater start"), screen.err());
            assertEquals("", screen.out());
        }
    }

    @Test
    void wrongValuesAreToldBeforeAnythingIsAsked() {
        assertEquals(HighwaterCli.FAILED, screen.run("", "consume", "x", "--from", "soon", "-b", NOBODY));
        assertTrue(screen.err().contains("--from soon is no position"), screen.err());
        assertEquals(HighwaterCli.FAILED, screen.run("", "produce", "x", "-z", "rar", "-b", NOBODY));
        assertTrue(screen.err().contains("none, gzip, snappy, lz4 or zstd"), screen.err());
        assertEquals(HighwaterCli.FAILED, screen.run("", "produce", "-b", NOBODY));
        assertTrue(screen.err().contains("no topic given"), screen.err());
        assertEquals(HighwaterCli.FAILED, screen.run("", "topics", "list", "-b", "127.0.0.1:x"));
        assertTrue(screen.err().contains("is not HOST:PORT"), screen.err());
    }

    @Test
    void wrongWishesOfGroupsAreToldBeforeAnythingIsAsked() {
        refused("no group given", "groups", "describe");
        refused("both groups and --all-groups", "groups", "delete", "g", "--all-groups");
        refused("'busy' is no state", "groups", "list", "--state", "busy");
        refused("'queue' is no type", "groups", "list", "--type", "queue");
        refused("not said what to reset to", "groups", "reset-offsets", "g", "--topic", "x");
        refused("not said which topics", "groups", "reset-offsets", "g", "--to-earliest");
        refused(
                "--execute and --dry-run",
                "groups",
                "reset-offsets",
                "g",
                "--all-topics",
                "--to",
                "5",
                "--execute",
                "--dry-run");
        refused("no topic given", "groups", "delete-offsets", "g");
        refused("not said which transaction", "transactions", "abort");
        refused("not said which transaction", "transactions", "abort", "--partition", "t:0");
        refused(
                "not said which transaction",
                "transactions",
                "abort",
                "x",
                "--partition",
                "t:0",
                "--start-offset",
                "1");
        refused("--from 42 and --group", "consume", "x", "--group", "g", "--from", "42");
        refused("--partitions and --group", "consume", "x", "--group", "g", "--partitions", "0");
    }

    @Test
    void wrongWishesOfClustersAreToldBeforeAnythingIsAsked() {
        refused("not said which partitions", "cluster", "reassign", "--to", "1");
        refused("topics and --all-topics given", "cluster", "reassign", "x", "--all-topics", "--to", "1");
        refused("not said where the replicas are to go", "cluster", "reassign", "x");
        refused("--replicas and --to given", "cluster", "reassign", "x", "--to", "1", "--replicas", "1");
        refused("--replication-factor 0 is too few", "cluster", "reassign", "x", "--replication-factor", "0");
        refused("--to 1,1 is no list of nodes", "cluster", "reassign", "x", "--to", "1,1");
        refused("'fast' is no size", "cluster", "reassign", "x", "--to", "1", "--throttle", "fast");
        refused("'fast' is no size", "cluster", "drain", "1", "--throttle", "fast");
        refused("--cancel and --wait given", "cluster", "moves", "--cancel", "--wait");
        refused("--unclean without a partition", "cluster", "elect", "--unclean");
    }

    private void refused(String why, String... args) {
        String[] all = java.util.Arrays.copyOf(args, args.length + 2);
        all[args.length] = "-b";
        all[args.length + 1] = NOBODY;
        assertEquals(HighwaterCli.FAILED, screen.run("", all));
        assertTrue(screen.err().contains(why), screen.err());
    }

    @Test
    void versionNamesItself() {
        assertEquals(HighwaterCli.OK, screen.run("", "version"));
        assertTrue(screen.out().startsWith("highwater "), screen.out());
        assertTrue(screen.out().contains("Kafka protocol 4.4.0"), screen.out());
    }
}
