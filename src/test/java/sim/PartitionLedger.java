package sim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;

/**
 * What clients sent to one partition, what was answered, and what consumers saw at which offset: the black-box truth that judges compare with the final
 * content. Each record's value is unique text.
 */
final class PartitionLedger {
    enum Fate {
        /** Not (or not surely) known: may be in the log at any later time. */
        UNKNOWN,
        ACKED,
        /** An error said that it is not and will not be there (V3). */
        REFUSED
    }

    /** One record that a client sent. */
    static final class Sent {
        final String value;
        final boolean idempotent;
        Fate fate = Fate.UNKNOWN;
        long offset = -1;

        private Sent(String value, boolean idempotent) {
            this.value = value;
            this.idempotent = idempotent;
        }
    }

    final String topic;
    final int partition;
    /** Acks promise durability (flush.messages=1). */
    final boolean durable;
    /** Old records may be deleted in this run. */
    final boolean trimmed;
    /** By several nodes: each deletes old records when it likes to. */
    final boolean replicated;

    Uuid topicId = Uuid.ZERO_UUID;
    private final Map<String, Sent> sent = new LinkedHashMap<>();
    private final TreeMap<Long, String> seen = new TreeMap<>();
    private boolean lossy;
    private long logStart;
    private long acked;
    private long deletedBefore;

    PartitionLedger(String topic, int partition, boolean durable, boolean trimmed) {
        this(topic, partition, durable, trimmed, false);
    }

    PartitionLedger(String topic, int partition, boolean durable, boolean trimmed, boolean replicated) {
        this.replicated = replicated;
        this.topic = topic;
        this.partition = partition;
        this.durable = durable;
        this.trimmed = trimmed;
    }

    String name() {
        return topic + "-" + partition;
    }

    /** True after a power cut took (maybe) what was acked in memory mode: then only what came later counts. */
    boolean lossy() {
        return lossy;
    }

    long ackedCount() {
        return acked;
    }

    Iterable<Sent> sent() {
        return sent.values();
    }

    Sent sent(String value) {
        return sent.get(value);
    }

    TreeMap<Long, String> seen() {
        return seen;
    }

    long logStart() {
        return logStart;
    }

    void send(String value, boolean idempotent) {
        if (sent.put(value, new Sent(value, idempotent)) != null) {
            throw new IllegalStateException("value used twice: " + value);
        }
    }

    /** @param server who answered */
    void ack(String value, long offset, SimLife server) {
        Sent record = sent.get(value);
        if (offset < 0) {
            throw new RuleBroken("I6 acks", name() + " acked " + value + " at offset " + offset);
        }
        if (forgets(server)) {
            return;
        }
        if (record.fate == Fate.ACKED && record.offset != offset) {
            throw new RuleBroken(
                    "P1 original offset", name() + " acked " + value + " at " + record.offset + " and at " + offset);
        }
        acked++;
        record.fate = Fate.ACKED;
        record.offset = offset;
        see(offset, value, server);
    }

    void refuse(String value) {
        sent.get(value).fate = Fate.REFUSED;
    }

    /** A consumer (or an ack) showed {@code value} at {@code offset}. */
    void see(long offset, String value, SimLife server) {
        if (forgets(server)) {
            return;
        }
        String before = seen.put(offset, value);
        if (before != null && !before.equals(value)) {
            throw new RuleBroken("I11 offsets are stable", name() + "@" + offset + ": " + before + ", then " + value);
        }
    }

    void logStartSeen(long start) {
        logStart = Math.max(logStart, start);
    }

    /** DeleteRecords was acked. */
    void deletedBefore(long offset) {
        deletedBefore = Math.max(deletedBefore, offset);
    }

    /** Memory acks die with the power of the machine, also those still under way. */
    private boolean forgets(SimLife server) {
        return !durable && server.powerLost();
    }

    void powerCut() {
        if (durable) {
            return;
        }
        lossy = true;
        seen.clear();
        for (Sent record : sent.values()) {
            if (record.fate == Fate.ACKED) {
                record.fate = Fate.UNKNOWN;
                record.offset = -1;
            }
        }
    }

    /** A record as the final read found it. */
    record Found(
            long offset,
            String value,
            long producerId,
            short producerEpoch,
            int sequence,
            long timestamp,
            long batch) {}

    /** The judgement about the final content from the log start on: V2, V3, I6, I7, I11, P7. */
    void judge(long start, List<Found> content) {
        if (start < (replicated ? deletedBefore : Math.max(logStart, deletedBefore))) {
            throw new RuleBroken(
                    "I12 log start rises only",
                    name() + " " + start + " after " + logStart + " and deletion before " + deletedBefore);
        }
        Map<String, Long> places = new LinkedHashMap<>();
        long expected = start;
        for (Found found : content) {
            if (found.offset() != expected && !(lossy && found.offset() > expected)) {
                throw new RuleBroken(
                        "I11 offsets rise by one", name() + ": " + found.offset() + " after " + (expected - 1));
            }
            expected = found.offset() + 1;
            judgeFound(found, places.put(found.value(), found.offset()));
        }
        judgeSeen(start, content);
        for (Sent record : sent.values()) {
            if (record.fate == Fate.ACKED && record.offset >= start && !places.containsKey(record.value)) {
                throw new RuleBroken(
                        durable ? "I7 durable acks survive" : "I6 acked not lost",
                        name() + " acked " + record.value + " at " + record.offset + ", final range [" + start + ", "
                                + expected + ")");
            }
        }
    }

    private void judgeFound(Found found, Long other) {
        Sent record = sent.get(found.value());
        if (record == null) {
            throw new RuleBroken("V2 only what was sent", name() + "@" + found.offset() + ": " + found.value());
        }
        if (record.fate == Fate.REFUSED) {
            throw new RuleBroken("V3 refused is not done", name() + "@" + found.offset() + ": " + found.value());
        }
        if (other != null && record.idempotent && !trimmed) {
            throw new RuleBroken(
                    "P7 no duplicates", name() + ": " + found.value() + " at " + other + " and " + found.offset());
        }
    }

    private void judgeSeen(long start, List<Found> content) {
        Map<Long, String> byOffset = new LinkedHashMap<>();
        content.forEach(each -> byOffset.put(each.offset(), each.value()));
        for (Map.Entry<Long, String> entry : seen.tailMap(start).entrySet()) {
            String now = byOffset.get(entry.getKey());
            if (now == null) {
                throw new RuleBroken(
                        durable ? "I7 durable acks survive" : "I6 acked not lost",
                        name() + "@" + entry.getKey() + " showed " + entry.getValue() + ", but the log ends at "
                                + (start + content.size()));
            }
            if (!now.equals(entry.getValue())) {
                throw new RuleBroken(
                        "V2 what was seen stays",
                        name() + "@" + entry.getKey() + ": " + entry.getValue() + ", then " + now);
            }
        }
    }
}
