package replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import sim.SimRandom;
import storage.ReadBound;

/**
 * One partition under transactional producers of both protocols, a model of their coordinator, and late copies of all that was sent; processes are killed meanwhile.
 * Rules P5, P7, T5, T7, T8, T9, T12.
 */
final class TransactionModelPropertyTest {
    private static final int SEEDS = 120;
    private static final int STEPS = 250;

    @Test
    void transactionsAreAtomicWhateverComesLate() {
        for (long seed = 0; seed < SEEDS; seed++) {
            run(seed, "");
        }
    }

    private static void run(long seed, String mutation) {
        try {
            new History(seed, mutation).run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed + " " + mutation, e);
        }
    }

    private static void isFound(String mutation) {
        assertThrows(AssertionError.class, () -> {
            for (long seed = 0; seed < SEEDS; seed++) {
                run(seed, mutation);
            }
        });
    }

    @Test
    void missingVerificationIsFound_T5() {
        isFound("unverified-append");
    }

    @Test
    void missingGuardIsFound_T5() {
        isFound("unguarded-append");
    }

    @Test
    void markerOfAnOldEpochIsFound_T7() {
        isFound("old-epoch-marker");
    }

    @Test
    void openTransactionThatIsForgottenIsFound_T8() {
        isFound("forget-open-transactions");
    }

    /** A transactional id as its coordinator knows it, and its producer. */
    private static final class Producer {
        final long id;
        final boolean v2;
        int epoch;
        int sequence;
        /** Number of its transaction; 0: the first has not begun. */
        int transaction;

        boolean ongoing;
        boolean holdsPartition;
        boolean ending;
        boolean commits;
        boolean marking;
        boolean broken;
        int inFlight;
        List<String> acked = new ArrayList<>();

        Producer(long id, boolean v2) {
            this.id = id;
            this.v2 = v2;
        }
    }

    private record Sent(Producer producer, int epoch, int sequence, String value) {}

    private static final class History {
        private final SimRandom random;
        private final TransactionLab lab;
        private final List<Producer> producers = new ArrayList<>();
        private final List<Sent> copies = new ArrayList<>();
        private final List<Runnable> lateMarkers = new ArrayList<>();
        /** Committed or aborted, by "producer/transaction". */
        private final Map<String, Boolean> decided = new LinkedHashMap<>();

        private final List<String> committed = new ArrayList<>();
        private final Map<String, Long> openOffsets = new TreeMap<>();
        private int life;
        private int values;

        History(long seed, String mutation) {
            this.random = new SimRandom(seed * 17 + 3);
            this.lab = new TransactionLab(seed, true, this::verify, mutation::equals);
            for (int i = 0; i < 3; i++) {
                producers.add(new Producer(100 + i, i > 0));
            }
        }

        /** The coordinator decides at once; its answer takes a while. */
        private void verify(
                String transactionalId,
                long producerId,
                short epoch,
                TopicPartition partition,
                boolean add,
                Callback<Errors> done) {
            Producer of = producers.get((int) (producerId - 100));
            Errors error = Errors.NONE;
            if (random.chance(0.1)) {
                error = Errors.COORDINATOR_NOT_AVAILABLE;
            } else if (epoch != of.epoch) {
                error = Errors.INVALID_PRODUCER_EPOCH;
            } else if (of.ending) {
                error = Errors.CONCURRENT_TRANSACTIONS;
            } else if (!add && (!of.ongoing || !of.holdsPartition)) {
                error = Errors.TRANSACTION_ABORTABLE;
            } else if (add) {
                // A late copy may begin a transaction: that is the producer's next one, of the same epoch.
                if (!of.ongoing) {
                    begin(of);
                }
                of.holdsPartition = true;
            }
            Errors answer = error;
            int now = life;
            lab.host.ports().timers().after(random.chance(0.3) ? random.below(60) : random.below(4), () -> {
                if (life == now) {
                    done.succeed(answer);
                }
            });
        }

        void run() {
            for (int i = 0; i < STEPS; i++) {
                step(producers.get(random.below(producers.size())));
                lab.host.runFor(random.below(3));
                checkStable();
            }
            finish();
        }

        private void step(Producer of) {
            switch (random.below(16)) {
                case 0, 1, 2, 3, 4, 5, 6 -> produce(of);
                case 7, 8 -> decide(of);
                case 9, 10 -> sendMarker(of);
                case 11 -> repeat();
                case 12 -> lateMarker();
                case 13 -> restart();
                default -> lab.host.runFor(5);
            }
        }

        private void begin(Producer of) {
            of.ongoing = true;
            of.transaction++;
            of.broken = false;
            of.acked = new ArrayList<>();
        }

        private void produce(Producer of) {
            if (of.ending || of.broken || of.inFlight >= 3) {
                return;
            }
            if (!of.ongoing) {
                begin(of);
            }
            if (!of.v2) {
                of.holdsPartition = true;
            }
            String value = of.id + "/" + of.transaction + "/" + values++;
            Sent sent = new Sent(of, of.epoch, of.sequence++, value);
            copies.add(sent);
            of.inFlight++;
            int now = life;
            int transaction = of.transaction;
            send(sent, (outcome, failure) -> {
                if (life != now) {
                    return;
                }
                of.inFlight--;
                if (outcome.failure() == null && transaction == of.transaction && !of.ending) {
                    of.acked.add(value);
                    openOffsets.merge(
                            of.id + "/" + transaction, outcome.value().append().baseOffset(), Math::min);
                } else {
                    of.broken = true;
                }
            });
        }

        private void send(Sent sent, Callback<ReplicaShard.Outcome<ReplicaShard.Produced>> done) {
            ByteBuffer batch = TransactionLab.batch(sent.producer.id, sent.epoch, sent.sequence, true, sent.value);
            lab.produce(batch, sent.producer.v2 ? TransactionLab.V2 : TransactionLab.V1, done);
        }

        /** A copy of a batch that was sent long ago arrives. */
        private void repeat() {
            if (!copies.isEmpty()) {
                send(copies.get(random.below(copies.size())), (outcome, failure) -> {});
            }
        }

        private void decide(Producer of) {
            if (!of.ongoing || of.ending) {
                return;
            }
            boolean commit = !of.broken && of.inFlight == 0 && random.chance(0.7);
            of.ending = true;
            of.commits = commit;
            decided.put(of.id + "/" + of.transaction, commit);
            if (commit) {
                committed.addAll(of.acked);
            }
            if (of.v2) {
                of.epoch++;
                of.sequence = 0;
            }
        }

        private void sendMarker(Producer of) {
            if (!of.ending || of.marking) {
                return;
            }
            if (!of.holdsPartition) {
                ended(of);
                return;
            }
            of.marking = true;
            openOffsets.remove(of.id + "/" + of.transaction);
            int now = life;
            int epoch = of.epoch;
            boolean commit = of.commits;
            if (of.v2) {
                // V1 has no defence against these: its markers do not name their transaction.
                lateMarkers.add(() -> lab.mark(of.id, epoch, commit, 7, 2, (outcome, failure) -> {}));
            }
            lab.mark(of.id, epoch, commit, 7, of.v2 ? 2 : 1, (outcome, failure) -> {
                if (life == now) {
                    of.marking = false;
                    assertEquals(null, outcome.failure(), "the marker of " + of.id + "/" + of.transaction);
                    // Its answer may be lost: then it is sent again.
                    if (random.chance(0.7)) {
                        ended(of);
                    }
                }
            });
        }

        private void ended(Producer of) {
            of.ongoing = false;
            of.ending = false;
            of.holdsPartition = false;
            if (!of.v2) {
                // What a V1 producer lost stays open in its sequence: as a real one, it takes a new epoch then.
                if (of.broken) {
                    of.epoch++;
                    of.sequence = 0;
                }
            }
        }

        private void lateMarker() {
            if (!lateMarkers.isEmpty()) {
                lateMarkers.get(random.below(lateMarkers.size())).run();
            }
        }

        private void restart() {
            if (random.chance(0.6)) {
                return;
            }
            life++;
            for (Producer each : producers) {
                each.broken |= each.inFlight > 0;
                each.inFlight = 0;
                each.marking = false;
            }
            switch (random.below(3)) {
                case 0 -> lab.kill();
                case 1 -> lab.powerCut();
                default -> lab.cleanRestart();
            }
        }

        /** T8: what is acknowledged and open is never below the last stable offset. */
        private void checkStable() {
            long stable = lab.log.lastStableOffset();
            openOffsets.forEach((transaction, offset) ->
                    assertTrue(stable <= offset, "last stable offset " + stable + " is past " + transaction));
        }

        private void finish() {
            for (int i = 0; i < 1000 && producers.stream().anyMatch(each -> each.ongoing || each.inFlight > 0); i++) {
                for (Producer each : producers) {
                    decide(each);
                    sendMarker(each);
                }
                lab.host.runFor(10);
            }
            assertTrue(producers.stream().noneMatch(each -> each.ongoing), "a transaction does not end");
            assertEquals(lab.log.logEndOffset(), lab.log.highWatermark());
            assertEquals(lab.log.highWatermark(), lab.log.lastStableOffset(), "LSO reaches the high watermark");
            List<String> seen = new ArrayList<>(lab.values(ReadBound.LAST_STABLE_OFFSET));
            lab.cleanRestart();
            assertEquals(seen, lab.values(ReadBound.LAST_STABLE_OFFSET), "after a restart");
            checkPlaces();
            seen.sort(null);
            committed.sort(null);
            assertEquals(committed, seen);
        }

        /** T12: a batch lies in its own transaction, or nowhere. */
        private void checkPlaces() {
            List<TransactionLab.Entry> entries = lab.entries();
            for (int i = 0; i < entries.size(); i++) {
                TransactionLab.Entry entry = entries.get(i);
                if (entry.batch().control()) {
                    continue;
                }
                String value = entry.values().get(0);
                String transaction = value.substring(0, value.lastIndexOf('/'));
                long producerId = entry.batch().producerId();
                Boolean outcome = entries.subList(i, entries.size()).stream()
                        .filter(each ->
                                each.batch().marker() != null && each.batch().producerId() == producerId)
                        .findFirst()
                        .map(each -> each.batch().marker().commit())
                        .orElse(null);
                boolean committedHere = Boolean.TRUE.equals(outcome);
                assertTrue(outcome != null, value + " is in no transaction that ended");
                if (committedHere) {
                    assertEquals(true, decided.get(transaction), value + " was committed by another transaction");
                }
            }
        }
    }
}
