package raft;

import common.Check;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sets of voters in the log by the offsets of their records (rule R13): the latest is in force whether committed or not, and goes when its record is
 * truncated.
 */
final class VoterHistory {
    private final VoterSet initial;
    private final TreeMap<Long, VoterSet> sets = new TreeMap<>();

    /** @param initial in force before any record: from settings, or of the formatting; empty on a node that shall learn it */
    VoterHistory(VoterSet initial) {
        this.initial = initial;
    }

    void add(VotersAt found) {
        Check.invariant(
                sets.isEmpty() || found.offset() > sets.lastKey(), "a voters record is not behind the last one (R13)");
        sets.put(found.offset(), found.voters());
    }

    /** The log now ends at {@code end}. */
    void truncate(long end) {
        sets.tailMap(end, true).clear();
    }

    /** The log begins again at a snapshot. */
    void restart(VotersAt found) {
        sets.clear();
        if (found != null) {
            add(found);
        }
    }

    /** Of the sets below the start of the log only the one in force there can be asked for. */
    void forgetBefore(long logStart) {
        Long floor = sets.floorKey(logStart);
        if (floor != null) {
            sets.headMap(floor, false).clear();
        }
    }

    VoterSet latest() {
        return sets.isEmpty() ? initial : sets.lastEntry().getValue();
    }

    /** Of the record that the latest set stands in; -1 for the initial one. */
    long latestOffset() {
        return sets.isEmpty() ? -1 : sets.lastKey();
    }

    /** The set before the latest; the latest when there was none. */
    VoterSet previous() {
        Map.Entry<Long, VoterSet> before = sets.isEmpty() ? null : sets.lowerEntry(sets.lastKey());
        return before == null ? initial : before.getValue();
    }

    /** What a snapshot that ends at {@code end} must hold; null: the log has said nothing by then. */
    VotersAt before(long end) {
        Map.Entry<Long, VoterSet> entry = sets.lowerEntry(end);
        return entry == null ? null : new VotersAt(entry.getKey(), entry.getValue());
    }
}
