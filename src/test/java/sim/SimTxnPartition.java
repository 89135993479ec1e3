package sim;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What transactional producers sent to one partition, and what readers saw there. Where its topic is durable, nothing that was answered may be lost. Else a power cut
 * may take what was there, also the ends of transactions (rule I7): of those that had sent something here by then, all or nothing holds no more at this
 * place, and what lies at an offset may become another. What holds for good is that nothing is visible that was not to be committed, of the second protocol at least, and
 * unless the cut tore a gap into the log, in which ends may have been.
 */
final class SimTxnPartition {
    final String topic;
    final int partition;
    final boolean durable;
    private final Map<String, SimTxn> sent = new LinkedHashMap<>();
    private final Map<String, Long> acked = new LinkedHashMap<>();
    private final TreeMap<Long, String> seen = new TreeMap<>();
    private final TreeMap<Long, Boolean> visible = new TreeMap<>();
    /** Where the log ended, at least, when somebody asked: to the latest time of a request that was told so. */
    private final TreeMap<Long, Long> ends = new TreeMap<>();

    private final Set<SimTxn> lost = new LinkedHashSet<>();
    private int losses;
    private boolean torn;
    /** The first record that was visible where it must not be, if there is no gap. */
    private String mixed;

    SimTxnPartition(String topic, int partition, boolean durable) {
        this.topic = topic;
        this.partition = partition;
        this.durable = durable;
    }

    /** The power went, or pages did: what was answered in memory may be gone. */
    void unsyncedLost() {
        if (durable) {
            return;
        }
        losses++;
        lost.addAll(sent.values());
        acked.clear();
        seen.clear();
        visible.clear();
        ends.clear();
    }

    /** How often {@link #unsyncedLost}. */
    int losses() {
        return losses;
    }

    boolean lossy() {
        return losses > 0;
    }

    /** There is a gap in the log. */
    void torn() {
        torn = true;
    }

    /** After all has been read. */
    void judgeLosses() {
        if (mixed != null && !torn) {
            throw new RuleBroken("T9 only committed records", mixed);
        }
    }

    /** Something of the transaction may be gone here. */
    boolean lost(SimTxn transaction) {
        return lost.contains(transaction);
    }

    /** What a server said whose power has gone since, or that has lost pages, says nothing about what is there now. */
    boolean forgets(SimLife server) {
        return !durable && server.powerLost();
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

    void ack(String value, long offset, SimLife server) {
        if (forgets(server)) {
            lost.add(sent.get(value));
            return;
        }
        Long before = acked.put(value, offset);
        if (offset < 0 || (before != null && before != offset)) {
            throw new RuleBroken("P1 original offset", name() + " acked " + value + " at " + offset + ", " + before);
        }
        stable(offset, value);
    }

    /** A request that was sent at {@code when} has been told where the log ends. */
    void endsAt(long offset, long when, SimLife server) {
        if (!forgets(server)) {
            ends.merge(offset, when, Math::max);
        }
    }

    /** Rule T5: what was appended when its transaction had ended already would be a part of the next one, or open for ever. */
    private void notTooLate(SimTxnEntry entry) {
        Map.Entry<Long, Long> before = ends.floorEntry(entry.offset());
        SimTxn by = sent.get(entry.text());
        if (before != null && by.closedBefore(before.getValue())) {
            throw new RuleBroken(
                    "T5 nothing is appended to what has ended",
                    name() + "@" + entry.offset() + " " + entry.text() + " of " + by + ": the log ended at "
                            + before.getKey() + " after that");
        }
    }

    /** A reader of whatever kind got it: what lies at an offset never changes (rules I11, V2). */
    void saw(SimTxnEntry entry, SimLife server) {
        if (!forgets(server)) {
            stable(entry.offset(), entry.text());
        }
        if (entry.isData() && !sent.containsKey(entry.text())) {
            throw new RuleBroken("V2 only what was sent", name() + "@" + entry.offset() + ": " + entry.text());
        }
        if (entry.isData() && !forgets(server)) {
            notTooLate(entry);
        }
    }

    private void stable(long offset, String text) {
        String before = seen.put(offset, text);
        if (before != null && !before.equals(text)) {
            throw new RuleBroken("I11 offsets are stable", name() + "@" + offset + ": " + before + ", then " + text);
        }
    }

    /** A reader of committed records was given it, or was told to pass over it (rule T9). */
    void judged(SimTxnEntry entry, String reader, SimLife server) {
        saw(entry, server);
        if (!entry.isData()) {
            return;
        }
        SimTxn by = sent.get(entry.text());
        if (entry.visible() && !by.mayBeVisible()) {
            String what = reader + " got " + entry.text() + " at " + name() + "@" + entry.offset() + " of " + by;
            if (!lost(by)) {
                throw new RuleBroken("T9 only committed records", what);
            }
            // Without its end, one of the first protocol looks like a part of the next one.
            mixed = mixed == null && by.second ? what : mixed;
        }
        if (!entry.visible() && by.mustBeVisible() && !lost(by)) {
            throw new RuleBroken(
                    "T9 committed records",
                    reader + " was told to pass over " + entry.text() + " at " + name() + "@" + entry.offset() + " of "
                            + by);
        }
        if (forgets(server)) {
            return;
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
