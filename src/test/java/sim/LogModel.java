package sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one log should hold: batches in order with what was promised about them, and metadata operations that may or may not have happened. */
final class LogModel {

    /** One batch that was appended; bytes as written, offsets in place. */
    static final class Batch {
        long base = -1;
        long last = -1;
        long timestamp;
        long producerId;
        short producerEpoch;
        int sequence;
        int records;
        int leaderEpoch;
        byte[] bytes;
        boolean acked;
        List<String> values;
    }

    /** Appended and not truncated, oldest first; those not acked are at the end of what was acked or mixed with it. */
    final List<Batch> batches = new ArrayList<>();
    /** Surely so or higher. */
    long logStart;
    /** Possibly so, if higher. */
    long logStartWanted;
    /** All below this offset was reported durable. */
    long durableEnd;
    /** Offset to which a truncation is under way; -1 for none. */
    long truncatingTo = -1;

    boolean deleting;
    boolean deleted;
    /** A clean mark may be there. */
    boolean cleanPossible;

    long ackedEnd() {
        long end = 0;
        for (Batch batch : batches) {
            end = batch.acked ? Math.max(end, batch.last + 1) : end;
        }
        return end;
    }

    /** The least log end after a crash. */
    long leastEnd(boolean power, boolean durableAcks) {
        long least = power && !durableAcks ? durableEnd : ackedEnd();
        return truncatingTo >= 0 ? Math.min(least, truncatingTo) : least;
    }

    void truncated(long offset) {
        batches.removeIf(batch -> batch.base < 0 || batch.base >= offset);
        durableEnd = Math.min(durableEnd, offset);
    }

    /**
     * Judges the batches that a reopened log returned from {@code start} up to {@code end}.
     *
     * @param lossy whole files or parts of files may be lost: memory acks and a power cut. Then holes are allowed where the log tells of damage.
     */
    void judge(List<Batch> found, long start, long end, long leastEnd, boolean lossy) {
        if (start < logStart || (!lossy && start > Math.max(logStart, logStartWanted))) {
            throw new RuleBroken("I12 log start", "is " + start + ", was " + logStart + ", wanted " + logStartWanted);
        }
        if (end < leastEnd) {
            throw new RuleBroken("I6 I7 acks survive", "log ends at " + end + ", promised " + leastEnd);
        }
        Map<Long, Batch> byBase = new LinkedHashMap<>();
        batches.forEach(batch -> byBase.put(batch.base, batch));
        long next = -1;
        for (Batch batch : found) {
            Batch mine = byBase.get(batch.base);
            if (mine == null || !Arrays.equals(mine.bytes, batch.bytes)) {
                throw new RuleBroken(
                        "I11 content", "batch at " + batch.base + (mine == null ? " is unknown" : " differs"));
            }
            if (next >= 0 && batch.base != next && !lossy) {
                throw new RuleBroken("S7 no hole", "batch at " + batch.base + " after end " + next);
            }
            next = batch.last + 1;
        }
        long expectedEnd = found.isEmpty() ? start : next;
        if (expectedEnd != end && !(lossy && expectedEnd < end)) {
            throw new RuleBroken("S7 whole log", "log end is " + end + ", batches end at " + expectedEnd);
        }
        if (!found.isEmpty() && found.get(0).base > start && !lossy) {
            throw new RuleBroken("S7 whole log", "starts at " + start + ", first batch at " + found.get(0).base);
        }
    }

    /** After a reopening: what is there is the truth from now on. */
    void settle(List<Batch> found, long start) {
        List<Batch> below = new ArrayList<>();
        long first = found.isEmpty() ? Long.MAX_VALUE : found.get(0).base;
        for (Batch batch : batches) {
            if (batch.base >= 0 && batch.base < first && batch.last < start) {
                below.add(batch);
            }
        }
        batches.clear();
        batches.addAll(below);
        batches.addAll(found);
        found.forEach(batch -> batch.acked = true);
        logStart = start;
        logStartWanted = start;
        truncatingTo = -1;
        durableEnd = 0;
        cleanPossible = false;
    }
}
