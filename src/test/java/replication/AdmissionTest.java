package replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.FailureCode;
import common.Mutations;
import config.LogConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import records.BatchHeader;
import records.BatchValidator;
import records.Codec;
import services.ErrorMapping;
import sim.SimHost;
import storage.DiskExecutor;
import storage.DiskJob;
import storage.LogContext;
import storage.LogIdentity;
import storage.LogLimits;
import storage.LogStart;
import storage.PartitionLog;

/** What waits for a CPU worker that has stalled is bounded, and what is turned away is not overtaken (P2). */
final class AdmissionTest {

    private static final short VERSION = 9;
    private static final int BOUND = 10_000;

    private static final ReplicaShard.Produce REQUEST =
            new ReplicaShard.Produce(List.of(), null, (short) -1, 30_000, VERSION, null);

    private final SimHost host = new SimHost(1);
    private final LogConfig config = LogConfig.of(new TreeMap<>());
    private final StalledDisk disk = new StalledDisk();
    private final Admission admission = new Admission(
            disk, host.clock(), new Admission.Validators(new BatchValidator(), new BatchValidator()), BOUND);
    private final List<String> answers = new ArrayList<>();
    private final List<Admission.Refusal> refusals = new ArrayList<>();

    /** Keeps its jobs until it is told to run them. */
    private static final class StalledDisk implements DiskExecutor {
        final ArrayDeque<Runnable> jobs = new ArrayDeque<>();

        @Override
        public <T> void run(Lane lane, DiskJob<T> job, Callback<T> done) {
            jobs.add(() -> {
                try {
                    done.succeed(job.run(null));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
        }

        void goOn() {
            while (!jobs.isEmpty()) {
                jobs.poll().run();
            }
        }
    }

    private static ByteBuffer batch(int size, long producerId, int sequence) {
        BatchBuilder.Producer producer = producerId < 0
                ? BatchBuilder.Producer.NONE
                : new BatchBuilder.Producer(producerId, (short) 0, sequence, false);
        BatchBuilder builder = new BatchBuilder(Codec.GZIP, 0, 0, producer);
        StringBuilder noise = new StringBuilder();
        for (int i = 0; noise.length() < size; i++) {
            noise.append(Integer.toHexString(31 * i + 7).hashCode());
        }
        builder.add(1, null, noise.toString().getBytes(StandardCharsets.UTF_8));
        return builder.build();
    }

    private void admit(String name, ByteBuffer records) {
        admission.admit(records, config, VERSION, (admitted, refusal) -> {
            answers.add(name + (refusal == null ? "" : " " + refusal.failure().code()));
            if (refusal != null) {
                refusals.add(refusal);
            }
        });
    }

    @Test
    void queueIsBoundedInBytes() {
        ByteBuffer one = batch(8_000, -1, -1);
        assertTrue(one.remaining() < BOUND && one.remaining() > BOUND / 8, "size " + one.remaining());
        int fit = BOUND / one.remaining();
        for (int i = 0; i < fit + 3; i++) {
            admit("b" + i, batch(8_000, -1, -1));
        }
        assertEquals(3, answers.size(), "refused at once");
        assertEquals("b" + fit + " OVERLOADED", answers.get(0));
        answers.clear();
        disk.goOn();
        assertEquals(fit, answers.size());
        assertEquals("b0", answers.get(0));
        for (int i = 0; i < fit; i++) {
            admit("c" + i, batch(8_000, -1, -1));
        }
        disk.goOn();
        assertEquals(2 * fit, answers.size());
        assertFalse(answers.toString().contains("OVERLOADED"), "room again");
    }

    private static ByteBuffer repetitive(int size) {
        BatchBuilder builder = new BatchBuilder(Codec.LZ4, 0, 0, BatchBuilder.Producer.NONE);
        builder.add(1, null, "x".repeat(size).getBytes(StandardCharsets.UTF_8));
        return builder.build();
    }

    /** A batch that costs less than a hop is checked at once, unless others wait or those before it were large. */
    @Test
    void smallBatchesOfAQuickCodecDoNotWait() {
        admit("small", repetitive(1_000));
        assertEquals(List.of("small"), answers);
        admit("gzip", batch(1_000, -1, -1));
        admit("behind", repetitive(1_000));
        assertEquals(List.of("small"), answers, "in order");
        disk.goOn();
        assertEquals(List.of("small", "gzip", "behind"), answers);
        admit("inflates", repetitive(500_000));
        assertEquals(3, answers.size());
        disk.goOn();
        admit("next", repetitive(1_000));
        assertEquals(4, answers.size(), "not tried in vain again");
        disk.goOn();
        for (int i = 0; i < 200; i++) {
            admit("rest", repetitive(1_000));
            disk.goOn();
        }
        answers.clear();
        admit("small again", repetitive(1_000));
        assertEquals(List.of("small again"), answers);
        ByteBuffer lying = repetitive(1_000);
        lying.putInt(lying.limit() - 8, 0x12345678);
        BatchHeader.setMaxTimestamp(lying, 0, 2);
        admit("lying", lying);
        assertEquals("lying INVALID_RECORD", answers.get(1));
    }

    @Test
    void aSingleBatchMayBeLarger() {
        ByteBuffer large = batch(20 * BOUND, -1, -1);
        assertTrue(large.remaining() > BOUND);
        admit("large", large);
        disk.goOn();
        assertEquals(List.of("large"), answers);
    }

    @Test
    void producersRetryWhatIsRefused() {
        assertTrue(ErrorMapping.of(FailureCode.OVERLOADED).exception() instanceof RetriableException);
    }

    /** Only the first of a producer's batches is what those behind it must wait for. */
    @Test
    void refusalIsDueUnlessAnEarlierBatchIsOnItsWay_P2() {
        admit("seven 0", batch(20 * BOUND, 7, 0));
        admit("seven 1", batch(10, 7, 1));
        admit("eight 0", batch(10, 8, 0));
        assertEquals(List.of("seven 1 OVERLOADED", "eight 0 OVERLOADED"), answers);
        assertFalse(refusals.get(0).due());
        assertTrue(refusals.get(1).due());
    }

    /** The client has sent its second batch when the first is refused; nothing is known of this producer in the log. */
    @Test
    void secondBatchDoesNotOvertakeARefusedFirstOne_P2() {
        LogContext context = new LogContext(host.ports(), host.executor(), null, LogLimits.DEFAULT);
        LogIdentity identity = new LogIdentity("a", 0, "AAAAAAAAQAGAAAAAAAAAAQ");
        PartitionLog log = host.await(done -> context.open(identity, config, LogStart.NEW, done));
        TransactionGate gate =
                new TransactionGate(log, TransactionVerifier.NONE, new TopicPartition("a", 0), Mutations.NONE, BOUND);
        LeaderReplica replica = new LeaderReplica(log, admission, gate, 1);
        host.<Void>await(done -> replica.lead(0, done));
        List<ReplicaShard.Outcome<ReplicaShard.Produced>> outcomes = new ArrayList<>();
        Callback<ReplicaShard.Outcome<ReplicaShard.Produced>> take = (outcome, failure) -> outcomes.add(outcome);
        replica.produce(batch(20 * BOUND, -1, -1), REQUEST, take);
        replica.produce(batch(10, 8, 0), REQUEST, take);
        assertEquals(FailureCode.OVERLOADED, outcomes.get(0).failure().code());
        disk.goOn();
        host.runFor(100);
        assertNull(outcomes.get(1).failure());
        replica.produce(batch(10, 8, 1), REQUEST, take);
        disk.goOn();
        host.runFor(100);
        assertNotNull(outcomes.get(2).failure());
        assertEquals(
                FailureCode.OUT_OF_ORDER_SEQUENCE, outcomes.get(2).failure().code());
        replica.produce(batch(10, 8, 0), REQUEST, take);
        disk.goOn();
        host.runFor(100);
        assertNull(outcomes.get(3).failure());
    }
}
