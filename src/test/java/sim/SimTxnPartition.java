package sim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** What transactional producers sent to one partition, and what readers saw there. Its topic is durable: nothing that was answered may be lost. */
final class SimTxnPartition {
    final String topic;
    final int partition;
    private final Map<String, SimTxn> sent = new LinkedHashMap<>();
    private final Map<String, Long> acked = new LinkedHashMap<>();
    private final TreeMap<Long, String> seen = new TreeMap<>();
    private final TreeMap<Long, Boolean> visible = new TreeMap<>();

    SimTxnPartition(String topic, int partition) {
        this.topic = topic;
        this.partition = partition;
    }

    String name() {
        return topic + "-" + partition;
    }

    void send(String value, SimTxn by) {
        if (sent.put(value, by) != null) {
            throw new IllegalStateException("value used twice: " + value);
        }
        by.wrote(this, value);
    }

    void ack(String value, long offset) {
        Long before = acked.put(value, offset);
        if (offset < 0 || (before != null && before != offset)) {
            throw new RuleBroken("P1 original offset", name() + " acked " + value + " at " + offset + ", " + before);
        }
        stable(offset, value);
    }

    /** A reader of whatever kind got it: what lies at an offset never changes (rules I11, V2). */
    void saw(SimTxnEntry entry) {
        stable(entry.offset(), entry.text());
        if (entry.isData() && !sent.containsKey(entry.text())) {
            throw new RuleBroken("V2 only what was sent", name() + "@" + entry.offset() + ": " + entry.text());
        }
    }

    private void stable(long offset, String text) {
        String before = seen.put(offset, text);
        if (before != null && !before.equals(text)) {
            throw new RuleBroken("I11 offsets are stable", name() + "@" + offset + ": " + before + ", then " + text);
        }
    }

    /** A reader of committed records was given it, or was told to pass over it (rule T9). */
    void judged(SimTxnEntry entry, String reader) {
        saw(entry);
        if (!entry.isData()) {
            return;
        }
        SimTxn by = sent.get(entry.text());
        if (entry.visible() && !by.mayBeVisible()) {
            throw new RuleBroken(
                    "T9 only committed records",
                    reader + " got " + entry.text() + " at " + name() + "@" + entry.offset() + " of " + by);
        }
        if (!entry.visible() && by.mustBeVisible()) {
            throw new RuleBroken(
                    "T9 committed records",
                    reader + " was told to pass over " + entry.text() + " at " + name() + "@" + entry.offset() + " of "
                            + by);
        }
        Boolean before = visible.put(entry.offset(), entry.visible());
        if (before != null && before != entry.visible()) {
            throw new RuleBroken(
                    "T9 visible once and for all",
                    name() + "@" + entry.offset() + " " + entry.text() + " of " + by + ": " + before + ", then "
                            + entry.visible());
        }
    }

    /** Where the last record lies that anybody knows of. */
    long knownEnd() {
        return seen.isEmpty() ? 0 : seen.lastKey() + 1;
    }

    Map<String, Long> acked() {
        return acked;
    }

    SimTxn of(String value) {
        return sent.get(value);
    }
}
