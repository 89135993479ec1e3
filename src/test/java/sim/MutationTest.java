package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import common.Mutations;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.record.internal.CompressionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulator has teeth: each planted bug is found within a hundred seeds, and the seed that finds it passes without the bug. */
@ExtendWith(QuietLogs.class)
class MutationTest {
    private static final int SEEDS = 100;

    @ParameterizedTest
    @CsvSource({
        "ack-before-write, faults=power_cut+crash_in_job durableTopics=7",
        "no-directory-fsync, faults=power_cut durableTopics=7 segmentBytes=1500 churns=0",
        "valid-tail-batch-dropped, faults=kill",
        "stale-producer-snapshot, faults=kill+clean_restart trimmedTopics=0 segmentBytes=5000",
        "retried-fsync, faults=sync_error+power_cut durableTopics=7",
        "index-past-log, faults=kill indexInterval=0 segmentBytes=1500",
    })
    void aDirectedProfileFindsIt(String mutation, String profile) {
        find(mutation, profile + " groups=0 committers=0 transactions=0");
    }

    /** Rules G*: profiles with little else than groups. */
    @ParameterizedTest
    @CsvSource({
        "group-answer-before-commit, faults=power_cut+crash_in_job groups=2 committers=2 reread=1",
        "group-answer-from-uncommitted, faults=power_cut+crash_in_job+slow_disk groups=2 members=4 offsetsPartitions=1",
        "group-failed-append-kept, faults=write_error+kill groups=1 committers=2",
        "group-tombstones-forgotten-on-load, faults=kill groups=0 committers=2",
        "classic.generation-not-stored, faults=kill+crash_in_job+packet_loss groups=2 consumerGroups=0 members=4 sessionMillis=3000"
                + " rebalanceMillis=2000 staticMembers=0 offsetsPartitions=1 faultMillis=150 stormMillis=8000",
        "group-partition-before-release, faults=kill groups=2 consumerGroups=3 classicMembers=0 members=4 rebalanceMillis=2000",
        "group-partition-before-release, faults=kill groups=2 consumerGroups=3 classicMembers=5 members=4 rebalanceMillis=2000",
        "group-commit-with-any-older-epoch, faults=kill groups=2 consumerGroups=3 members=4",
    })
    void aDirectedProfileFindsItInGroups(String mutation, String profile) {
        find(mutation, profile + " producers=0 plainProducers=0 consumers=0 admins=0 churns=0 transactions=0");
    }

    /** Rules T*: profiles with little else than transactions. */
    @ParameterizedTest
    @CsvSource({
        "txn-markers-before-decision, faults=crash_in_job faultMillis=150 stormMillis=8000 txnInterval=2 txnJobs=2 txnStatePartitions=1"
                + " txnTimeout=600 disks=1 loops=1 maxRecords=1 reread=0 txnPartitions=3",
        "txn-repeat-by-state-only, faults=kill+connection_kill+ghost",
        "forget-open-transactions, faults=kill",
        "unverified-append, faults=ghost+long_latency",
        "offsets-before-commit, faults=kill",
        "old-epoch-marker, faults=ghost txnSecond=100 txnInterval=20",
        "unguarded-append, faults=slow_bus stallsPerMille=20 loops=2 txnSecond=0 txnTimeout=4000 txnJobs=0 maxRecords=1 txnInterval=2 txnHasty=30",
        "lost-end-kept, faults=power_cut+crash_in_job txnMemory=3 txnSecond=100",
    })
    void aDirectedProfileFindsItInTransactions(String mutation, String profile) {
        find(
                mutation,
                "txnMemory=0 " + profile
                        + " transactions=3 groups=0 committers=0 producers=0 plainProducers=0 consumers=0 admins=0 churns=0");
    }

    /** Rules K*: compacted logs with small segments, and crashes of the machine. */
    @ParameterizedTest
    @ValueSource(strings = {"swap-dropped-at-start", "swap-without-directory-fsync", "swap-under-readers"})
    void aDirectedProfileFindsItInCompactedLogs(String mutation) {
        find(
                mutation,
                "faults=power_cut+crash_in_job compacted=2 compactedSegment=400 interval=5 groups=0 committers=0"
                        + " producers=0 plainProducers=0 consumers=0 admins=0 churns=0");
    }

    private static void find(String mutation, String profile) {
        Map<String, String> overrides = new LinkedHashMap<>();
        for (String entry : ("stormMillis=4000 faultMillis=300 compacted=0 preallocated=0 scrubBytes=0 " + profile)
                .split(" ", -1)) {
            String[] pair = entry.split("=", 2);
            overrides.put(pair[0], pair[1]);
        }
        SimRun.Report found = null;
        for (long seed = 1; seed <= SEEDS && found == null; seed++) {
            SimRun.Report report = new SimRun(seed, overrides, mutation::equals, "").run();
            found = report.broken() == null ? null : report;
        }
        assertNotNull(found, mutation + " was not found in " + SEEDS + " seeds");
        SimRun.Report without = new SimRun(found.seed(), overrides, Mutations.NONE, "").run();
        assertNull(without.broken(), without.block());
    }

    @Test
    void aKeptCleanMarkIsFound() {
        Mutations kept = "clean-mark-kept"::equals;
        LogLab lab = new LogLab(new SimHost(3), new LogModel(), SimLogConfig.tiny(true), 20, CompressionType.NONE);
        lab.open(kept);
        lab.host.<storage.AppendResult>await(done -> lab.append(1, 0, 1, 0, done));
        lab.host.<Void>await(done -> lab.log.close(done));
        lab.host.<Void>await(lab::checkpoint);
        lab.model.cleanPossible = true;
        lab.host.<Void>await(done ->
                lab.host.executor().run(storage.DiskExecutor.Lane.BLOCKING, storage.LogDirectory.markClean(-1), done));
        LogLab second = lab.on(lab.host.kill());
        second.open(kept);
        LogLab third = second.on(second.host.powerCut());
        assertEquals(
                "S6 clean mark",
                assertThrows(RuleBroken.class, () -> third.open(kept)).rule());
    }

    @Test
    void rotThatIsCutIsFound() {
        Mutations cut = "cut-at-rot"::equals;
        LogLab lab = new LogLab(new SimHost(4), new LogModel(), SimLogConfig.tiny(true), 20, CompressionType.NONE);
        lab.open(cut);
        for (int i = 0; i < 5; i++) {
            int sequence = i;
            lab.host.<storage.AppendResult>await(done -> lab.append(1, sequence, 1, 0, done));
        }
        lab.observe();
        lab.host.disk().rot("a-0/00000000000000000000.log", 61 + 10, 3);
        LogLab next = lab.on(lab.host.kill());
        next.open(cut);
        RuleBroken broken = assertThrows(
                RuleBroken.class,
                () -> next.model.judge(
                        next.readAll(),
                        next.log.logStartOffset(),
                        next.log.logEndOffset(),
                        next.model.leastEnd(false, true),
                        false));
        assertEquals("I6 I7 acks survive", broken.rule());
    }
}
