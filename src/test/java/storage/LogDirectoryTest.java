package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.Mutations;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import sim.DiskFaults;
import sim.DiskFaults.Fault;
import sim.SimHost;

/** Rules S5, S6 and S12: whose directory it is, whether it was left cleanly, what is in it. */
final class LogDirectoryTest {

    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";
    private static final String OTHER = "AAAAAAAAQAGAAAAAAAAAAw";
    private static final String DIRECTORY_ID = "AAAAAAAAQAGAAAAAAAAAAg";

    private static LogDirectory.OpenRequest request(int node, String expected) {
        return new LogDirectory.OpenRequest(node, expected, CLUSTER, DIRECTORY_ID, Mutations.NONE);
    }

    private static LogDirectory.Opened open(SimHost host, int node, String cluster) {
        return host.await(done ->
                host.executor().run(DiskExecutor.Lane.BLOCKING, LogDirectory.open(request(node, cluster)), done));
    }

    private static String refusal(SimHost host, int node, String cluster) {
        Failure failure = host.<LogDirectory.Opened>awaitFailure(done ->
                host.executor().run(DiskExecutor.Lane.BLOCKING, LogDirectory.open(request(node, cluster)), done));
        return failure.message();
    }

    private static <T> T run(SimHost host, DiskJob<T> job) {
        return host.await(done -> host.executor().run(DiskExecutor.Lane.BLOCKING, job, done));
    }

    private static void put(SimHost host, String path, String text) {
        host.disk().put(path, text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void emptyDirectoryIsFormattedOnce() {
        SimHost host = new SimHost(1);
        LogDirectory.Opened first = open(host, 7, null);
        assertTrue(first.formatted());
        assertFalse(first.cleanStop());
        assertEquals(CLUSTER, first.clusterId());
        assertEquals(
                "cluster.id=" + CLUSTER + "\ndirectory.id=" + DIRECTORY_ID + "\nnode.id=7\nversion=1\n",
                new String(host.disk().content("meta.properties"), StandardCharsets.UTF_8));
        LogDirectory.Opened again = open(host.powerCut(), 7, null);
        assertFalse(again.formatted());
        assertEquals(DIRECTORY_ID, again.directoryId());
    }

    /** A new node of several learns from the others which cluster it is of. */
    @Test
    void theClusterIsLearnedLater() {
        SimHost host = new SimHost(1);
        LogDirectory.OpenRequest unknown = new LogDirectory.OpenRequest(7, null, null, DIRECTORY_ID, Mutations.NONE);
        LogDirectory.Opened first = run(host, LogDirectory.open(unknown));
        assertTrue(first.formatted());
        assertNull(first.clusterId());
        assertEquals(
                "directory.id=" + DIRECTORY_ID + "\nnode.id=7\nversion=1\n",
                new String(host.disk().content("meta.properties"), StandardCharsets.UTF_8));
        SimHost again = host.powerCut();
        LogDirectory.OpenRequest other = new LogDirectory.OpenRequest(7, null, null, OTHER, Mutations.NONE);
        LogDirectory.Opened second = run(again, LogDirectory.open(other));
        assertFalse(second.formatted());
        assertNull(second.clusterId());
        assertEquals(DIRECTORY_ID, second.directoryId());
        run(again, LogDirectory.join(CLUSTER));
        SimHost joined = again.powerCut();
        assertTrue(refusal(joined, 7, OTHER).contains("cluster.id " + CLUSTER));
        LogDirectory.Opened third = run(joined, LogDirectory.open(other));
        assertEquals(CLUSTER, third.clusterId());
        assertEquals(DIRECTORY_ID, third.directoryId());
        run(joined, LogDirectory.join(OTHER));
        assertEquals(CLUSTER, run(joined, LogDirectory.clusterId()), "it is of one cluster for ever");
    }

    /** Settings name the cluster that the node has not learned yet. */
    @Test
    void aDirectoryWithoutAClusterTakesTheOneThatIsExpected() {
        SimHost host = new SimHost(1);
        run(host, LogDirectory.open(new LogDirectory.OpenRequest(7, null, null, DIRECTORY_ID, Mutations.NONE)));
        SimHost next = host.kill();
        assertEquals(OTHER, open(next, 7, OTHER).clusterId());
        assertEquals(DIRECTORY_ID, open(next.kill(), 7, OTHER).directoryId());
    }

    @Test
    void formattingCutAtAnyPointIsDoneAgain() {
        for (int at = 0; at < 8; at++) {
            for (Fault fault : List.of(Fault.CRASH_BEFORE, Fault.CRASH_AFTER, Fault.CRASH_TORN)) {
                SimHost host = new SimHost(at);
                host.disk().faults(DiskFaults.at(at, fault));
                try {
                    open(host, 7, null);
                } catch (sim.SimCrash crash) {
                    // as planned
                }
                host.disk().faults(DiskFaults.NONE);
                assertEquals(CLUSTER, open(host.powerCut(), 7, null).clusterId(), at + " " + fault);
            }
        }
    }

    @Test
    void kafkasOwnDirectoryIsAccepted() {
        SimHost host = new SimHost(1);
        put(
                host,
                "meta.properties",
                "#\n#Mon Nov 30 10:00:00 UTC 2026\nnode.id=7\ndirectory.id=" + OTHER + "\nversion=1\ncluster.id="
                        + CLUSTER + "\n");
        put(host, "bootstrap.checkpoint", "x");
        LogDirectory.Opened opened = open(host, 7, CLUSTER);
        assertEquals(OTHER, opened.directoryId());
        assertFalse(opened.formatted());
    }

    @Test
    void foreignNewerOrUsedDirectoryIsRefusedUntouched_S12() {
        SimHost host = new SimHost(1);
        open(host, 7, null);
        List<String> tree = host.disk().tree();
        assertTrue(refusal(host, 7, null).contains("in use"));
        SimHost next = host.kill();
        long operations = next.disk().operations();
        assertTrue(refusal(next, 8, null).contains("node.id 7"));
        assertTrue(refusal(next, 7, OTHER).contains("cluster.id " + CLUSTER));
        put(next, "meta.properties", "version=2\nnode.id=7\ncluster.id=" + CLUSTER + "\n");
        assertTrue(refusal(next, 7, null).contains("version 2"));
        assertEquals(operations, next.disk().operations(), "untouched");
        assertEquals(tree.size(), next.disk().tree().size());

        SimHost strange = new SimHost(1);
        put(strange, "photo.jpg", "x");
        assertTrue(refusal(strange, 7, null).contains("photo.jpg"));
        assertEquals(List.of("photo.jpg 1"), strange.disk().tree(), "untouched");
    }

    @Test
    void newerCheckpointOrPartitionMetadataIsRefused_S5() {
        SimHost host = new SimHost(1);
        open(host, 7, null);
        put(host, CheckpointFile.RECOVERY_POINTS, "1\n0\n");
        SimHost next = host.kill();
        assertTrue(refusal(next, 7, null).contains("version"));
        put(host, CheckpointFile.RECOVERY_POINTS, "junk");
        put(host, "a-0/partition.metadata", "version: 9\ntopic_id: " + OTHER + "\n");
        assertTrue(refusal(next.kill(), 7, null).contains("version"));
    }

    @Test
    void cleanMarkCountsOnceAndOnlyWhole_S6() {
        SimHost host = new SimHost(1);
        open(host, 7, null);
        run(host, LogDirectory.markClean(-1));
        byte[] mark = host.disk().content(CleanMark.FILE_NAME);
        SimHost second = host.kill();
        assertTrue(open(second, 7, null).cleanStop());
        SimHost third = second.powerCut();
        assertFalse(open(third, 7, null).cleanStop(), "removed durably");
        for (int cut = 0; cut < mark.length; cut++) {
            third = third.kill();
            third.disk().put(CleanMark.FILE_NAME, java.util.Arrays.copyOf(mark, cut));
            assertFalse(open(third, 7, null).cleanStop(), "cut at " + cut);
        }
        for (int at = 0; at < mark.length; at++) {
            third = third.kill();
            byte[] flipped = mark.clone();
            flipped[at] ^= 1;
            third.disk().put(CleanMark.FILE_NAME, flipped);
            assertFalse(open(third, 7, null).cleanStop(), "flipped at " + at);
        }
        third = third.kill();
        third.disk().put(CleanMark.FILE_NAME, CleanMark.image(2, -1).array());
        assertTrue(refusal(third, 7, null).contains("newer"));
    }

    @Test
    void partitionsAreListedWithTheirCheckpoints() {
        SimHost host = new SimHost(1);
        open(host, 7, null);
        run(
                host,
                LogDirectory.writeCheckpoints(List.of(
                        new LogDirectory.Checkpoint("orders", 0, 30, 10, 25),
                        new LogDirectory.Checkpoint("a.b-c", 12, 1, 0, 1))));
        assertEquals(
                "0\n2\norders 0 30\na.b-c 12 1\n",
                new String(host.disk().content(CheckpointFile.RECOVERY_POINTS), StandardCharsets.UTF_8));
        put(host, "orders-0/partition.metadata", "version: 0\ntopic_id: " + OTHER + "\n");
        put(host, "a.b-c-12/x", "");
        put(host, "noise/x", "");
        put(host, "orders-1.0123456789abcdef0123456789abcdef-delete/x", "");
        List<LogDirectory.FoundPartition> found = open(host.powerCut(), 7, null).partitions();
        assertEquals(2, found.size());
        assertEquals(new LogIdentity("a.b-c", 12, null), found.get(0).identity());
        assertNull(found.get(0).identity().topicId());
        assertEquals(new LogIdentity("orders", 0, OTHER), found.get(1).identity());
        assertEquals(new LogStart(true, false, 30, 10, 25), found.get(1).start());
    }

    @Test
    void unreadableCheckpointCountsAsAbsent_S5() {
        SimHost host = new SimHost(1);
        open(host, 7, null);
        put(host, CheckpointFile.RECOVERY_POINTS, "0\n5\norders 0 30\n");
        put(host, "orders-0/partition.metadata", "version: 0\ntopic_id: " + OTHER + "\n");
        assertEquals(0, open(host.kill(), 7, null).partitions().get(0).start().recoveryPoint());
    }

    @Test
    void strayDirectoriesAreSetAsideAndDeletedOnesPurged() {
        SimHost host = new SimHost(1);
        open(host, 7, null);
        put(host, "old-0/x", "");
        put(host, "gone-0.0123456789abcdef0123456789abcdef-delete/x", "");
        put(host, "gone-0.0123456789abcdef0123456789abcdef-delete/y", "");
        run(host, LogDirectory.setAside("old-0", "f".repeat(32)));
        assertTrue(run(host, LogDirectory.purgeDeleted(1)));
        assertFalse(run(host, LogDirectory.purgeDeleted(10)));
        String tree = host.disk().tree().toString();
        assertTrue(tree.contains("old-0." + "f".repeat(32) + "-stray/x"), tree);
        assertFalse(tree.contains("-delete"), tree);
        assertEquals(List.of(), open(host.kill(), 7, null).partitions());
    }

    @Test
    void asideNamesFitAFileName() {
        String name =
                DirectoryDeletion.asideName("t".repeat(249) + "-123", "0".repeat(32), DirectoryDeletion.DELETE_SUFFIX);
        assertEquals(255, name.length());
        assertTrue(name.endsWith("-delete"));
        SimHost host = new SimHost(1);
        String hex = DirectoryDeletion.randomHex(host.random());
        assertEquals(32, hex.length());
        assertNotEquals(hex, DirectoryDeletion.randomHex(host.random()));
    }
}
