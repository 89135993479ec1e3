package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import records.BatchHeader;
import records.Codec;
import sim.SimRandom;

/**
 * Rules S7 and S8 at the end of a segment, with and without room made in advance: one wrong byte anywhere costs no valid batch behind it, and what a torn write
 * has left is cut. Records may hold whole batches as values, as those of a backup do.
 */
final class TornOrRottenPropertyTest {

    private static final int SEEDS = 30;
    private static final int[] ROOM = {0, 1, 70, 9_000};

    /** The last segment of a log as it was written. */
    private static final class Written {
        final List<byte[]> batches = new ArrayList<>();
        final List<Integer> starts = new ArrayList<>();
        /** In the last batch: where the length of the first value that is a batch begins; -1: there is none. */
        int valueFrom = -1;

        private final SimRandom random;
        private long next;
        private int size;

        Written(long seed) {
            random = new SimRandom(seed);
            int count = random.between(2, 6);
            for (int i = 0; i < count; i++) {
                add(random.chance(0.8) ? Codec.NONE : Codec.GZIP);
            }
        }

        private void add(Codec codec) {
            BatchBuilder builder = new BatchBuilder(codec, next, 3);
            int records = random.between(1, 4);
            byte[] firstValue = null;
            for (int i = 0; i < records; i++) {
                byte[] value = value();
                if (firstValue == null && value[BatchHeader.MAGIC % value.length] == BatchHeader.MAGIC_V2) {
                    firstValue = value;
                }
                builder.add(1_000 + i, random.chance(0.5) ? null : new byte[] {'k'}, value);
            }
            ByteBuffer built = builder.build();
            byte[] batch = new byte[built.remaining()];
            built.get(batch);
            starts.add(size);
            batches.add(batch);
            size += batch.length;
            next += records;
            valueFrom = firstValue == null || codec != Codec.NONE ? -1 : indexOf(batch, firstValue) - 2;
        }

        private byte[] value() {
            if (random.chance(0.5)) {
                return "x".repeat(random.between(1, 120)).getBytes(StandardCharsets.UTF_8);
            }
            long base = next + 1 + random.below(20);
            ByteBuffer all = ByteBuffer.allocate(2_000);
            for (int i = random.between(1, 2); i > 0; i--) {
                all.put(new BatchBuilder(Codec.NONE, base, 3)
                        .add(7, null, new byte[random.between(5, 60)])
                        .build());
                base++;
            }
            return Arrays.copyOf(all.array(), all.position());
        }

        private static int indexOf(byte[] batch, byte[] value) {
            for (int at = BatchHeader.SIZE; at + value.length <= batch.length; at++) {
                if (Arrays.equals(batch, at, at + value.length, value, 0, value.length)) {
                    return at;
                }
            }
            throw new AssertionError("no such value");
        }

        byte[] bytes(int room) {
            ByteBuffer all = ByteBuffer.allocate(size + room);
            batches.forEach(all::put);
            return all.array();
        }

        int last() {
            return batches.size() - 1;
        }
    }

    /** What a recovery of the segment finds: where its valid part ends, and what is damaged before. */
    private record Outcome(int valid, List<DamagedRange> damage) {
        boolean keeps(int start, int length) {
            return start + length <= valid
                    && damage.stream()
                            .allMatch(each -> start >= each.toPosition() || start + length <= each.fromPosition());
        }
    }

    private static Outcome scan(byte[] content) {
        Segment segment = new Segment(0, 0);
        segment.size = content.length;
        MemoryFile file = new MemoryFile();
        file.append(ByteBuffer.wrap(content));
        LogStart start = new LogStart(true, false, 0, 0, 0);
        Recovery.Settings settings =
                new Recovery.Settings(LogBench.IDENTITY, LogBench.tiny(), start, 0, 0, Mutations.NONE);
        List<DamagedRange> damage = new ArrayList<>();
        LeaderEpochCache epochs = new LeaderEpochCache();
        try {
            int valid = new SegmentScan(file, segment, SegmentScan.LAST, 0, settings, epochs, damage).run();
            return new Outcome(valid, damage);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void oneWrongByteCostsNoBatchBehindIt_S8() {
        int scans = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Written log = new Written(seed);
            for (int room : ROOM) {
                byte[] whole = log.bytes(room);
                assertEquals(new Outcome(log.size, List.of()), scan(whole), "seed " + seed);
                for (int victim = 0; victim < log.last(); victim++) {
                    for (int at = 0; at < log.batches.get(victim).length; at++) {
                        byte[] rotten = whole.clone();
                        rotten[log.starts.get(victim) + at] ^= (byte) (1 + log.random.below(255));
                        String where = "seed " + seed + ", room " + room + ", batch " + victim + ", byte " + at;
                        othersStay(log, victim, scan(rotten), where);
                        scans++;
                    }
                }
            }
        }
        assertTrue(scans > 10_000, scans + " wrong bytes");
    }

    /** All bits and more of the length, which is under no checksum. */
    @Test
    void aWrongLengthCostsNoBatchBehindIt_S8() {
        for (long seed = 100; seed < 100 + SEEDS; seed++) {
            Written log = new Written(seed);
            for (int room : ROOM) {
                for (int victim = 0; victim < log.last(); victim++) {
                    for (int bit = 0; bit < 32; bit++) {
                        lengthIs(log, room, victim, log.batches.get(victim).length - 12 ^ 1 << bit);
                    }
                    for (int behind = victim + 1; behind < log.batches.size(); behind++) {
                        // As if the batches up to there were one.
                        lengthIs(log, room, victim, log.starts.get(behind) - log.starts.get(victim) - 12);
                    }
                }
            }
        }
    }

    private static void lengthIs(Written log, int room, int victim, int length) {
        byte[] rotten = log.bytes(room);
        ByteBuffer.wrap(rotten).putInt(log.starts.get(victim) + BatchHeader.LENGTH, length);
        othersStay(log, victim, scan(rotten), "room " + room + ", batch " + victim + ", length " + length);
    }

    private static void othersStay(Written log, int victim, Outcome found, String where) {
        for (int i = 0; i < log.batches.size(); i++) {
            if (i != victim) {
                assertTrue(
                        found.keeps(log.starts.get(i), log.batches.get(i).length),
                        where + ": lost " + i + ", " + found);
            }
        }
    }

    @Test
    void aTornWriteIsCut_S7() {
        int scans = 0;
        int withValues = 0;
        for (long seed = 200; seed < 200 + 2 * SEEDS; seed++) {
            Written log = new Written(seed);
            for (int room : ROOM) {
                byte[] whole = log.bytes(room);
                int group = log.random.between(0, log.last());
                for (int cut = log.starts.get(group); cut < log.size; cut++) {
                    byte[] zeroed = whole.clone();
                    Arrays.fill(zeroed, cut, zeroed.length, (byte) 0);
                    isCut(log, zeroed, "seed " + seed + ", room " + room + ", zeroes from " + cut);
                    isCut(log, Arrays.copyOf(whole, cut), "seed " + seed + ", room " + room + ", short at " + cut);
                    scans += 2;
                }
                int start = log.starts.get(log.last());
                int upTo = log.valueFrom >= 0 ? log.valueFrom : log.batches.get(log.last()).length;
                for (int lost = 1; lost <= upTo; lost++) {
                    byte[] front = whole.clone();
                    Arrays.fill(front, start, start + lost, (byte) 0);
                    isCut(log, front, "seed " + seed + ", room " + room + ", lost up to " + lost);
                    withValues += log.valueFrom >= 0 ? 1 : 0;
                }
            }
        }
        assertTrue(scans > 10_000, scans + " torn writes");
        assertTrue(withValues > 1_000, withValues + " lost fronts before values that are batches");
    }

    /** Up to the first batch that is not whole. */
    private static void isCut(Written log, byte[] torn, String where) {
        int end = 0;
        for (int i = 0; i < log.batches.size(); i++) {
            byte[] batch = log.batches.get(i);
            int from = log.starts.get(i);
            boolean whole = from + batch.length <= torn.length
                    && Arrays.equals(torn, from, from + batch.length, batch, 0, batch.length);
            if (!whole) {
                break;
            }
            end = from + batch.length;
        }
        assertEquals(new Outcome(end, List.of()), scan(torn), where);
    }
}
