package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The committed offset of one partition in one group as its clients saw it: every commit has an offset of its own, so what a read returns names the commit it saw.
 * Judges by rule G8 whether commits and reads can be put in one order that agrees with real time (Gibbons and Korach: one zone per value), whatever became of
 * those with an unknown outcome.
 */
final class OffsetHistory {
    static final long NONE = -1;
    private static final long NEVER = Long.MAX_VALUE;
    private static final long BEFORE_ALL = Long.MIN_VALUE;

    private final String name;
    private final Map<Long, Commit> commits = new TreeMap<>();

    /** One commit, with the reads that saw it. */
    private static final class Commit {
        private final long offset;
        private final String text;
        private final long begun;
        /** Why it may not take effect; null when it may. */
        private final String forbidden;

        private long lastBegin;
        private long firstEnd = NEVER;
        private boolean repeated;
        private Boolean done;

        private Commit(long offset, String text, long begun, String forbidden) {
            this.offset = offset;
            this.text = text;
            this.begun = begun;
            this.lastBegin = begun;
            this.forbidden = forbidden;
        }

        /** Took effect before its zone began and is still there when it ends. */
        private boolean forward() {
            return firstEnd < lastBegin;
        }

        @Override
        public String toString() {
            return offset + " (" + text + ", " + (done == null ? "unknown" : done ? "done" : "refused")
                    + ", first known at " + ms(firstEnd) + ", last begun at " + ms(lastBegin) + " ms)";
        }

        private static String ms(long nanos) {
            return nanos == NEVER || nanos == BEFORE_ALL ? "-" : Double.toString(nanos / 1e6);
        }
    }

    /** @param name for people: group and partition */
    OffsetHistory(String name) {
        this.name = name;
        Commit nothing = new Commit(NONE, "", BEFORE_ALL, null);
        nothing.firstEnd = BEFORE_ALL;
        nothing.done = true;
        commits.put(NONE, nothing);
    }

    /**
     * A commit is sent.
     *
     * @param offset never used before
     * @param text its metadata
     * @param forbidden why it must be refused; null when it may take effect
     */
    void begin(long offset, String text, long now, String forbidden) {
        commits.put(offset, new Commit(offset, text, now, forbidden));
    }

    void done(long offset, long now) {
        Commit commit = commits.get(offset);
        check(commit, "was answered");
        commit.done = true;
        commit.firstEnd = Math.min(commit.firstEnd, now);
    }

    void refused(long offset) {
        commits.get(offset).done = false;
    }

    /** The same request may be executed once more: reads of it prove nothing from now on. */
    void repeated(long offset) {
        commits.get(offset).repeated = true;
    }

    /** A read, begun and ended at these times, returned this. */
    void read(long offset, String text, long begun, long ended) {
        Commit commit = commits.get(offset);
        if (commit == null || !commit.text.equals(text) || ended < commit.begun) {
            throw new RuleBroken("G8 only what was committed", name + ": a read gave " + offset + " \"" + text + "\"");
        }
        check(commit, "was read");
        if (Boolean.FALSE.equals(commit.done) && !commit.repeated) {
            throw new RuleBroken("V3 refused is not done", name + ": a read gave " + commit);
        }
        if (!commit.repeated) {
            commit.lastBegin = Math.max(commit.lastBegin, begun);
            commit.firstEnd = Math.min(commit.firstEnd, ended);
        }
    }

    private void check(Commit commit, String what) {
        if (commit.forbidden != null) {
            throw new RuleBroken(
                    "G7 no zombie commit", name + ": " + commit + " " + what + ", but " + commit.forbidden);
        }
    }

    /** Rule G8: acked commits are not lost, and none comes back. */
    void judge() {
        List<Commit> forward = new ArrayList<>();
        List<Commit> backward = new ArrayList<>();
        for (Commit each : commits.values()) {
            boolean seen = each.firstEnd != NEVER;
            if (seen && !each.repeated) {
                (each.forward() ? forward : backward).add(each);
            }
        }
        forward.sort((a, b) -> Long.compare(a.firstEnd, b.firstEnd));
        for (int i = 1; i < forward.size(); i++) {
            Commit first = forward.get(i - 1);
            Commit second = forward.get(i);
            if (second.firstEnd < first.lastBegin) {
                throw new RuleBroken(
                        "G8 committed offset", name + ": both were there at once: " + first + ", " + second);
            }
        }
        for (Commit inner : backward) {
            for (Commit outer : forward) {
                if (outer.firstEnd < inner.lastBegin && inner.firstEnd < outer.lastBegin) {
                    throw new RuleBroken(
                            "G8 committed offset", name + ": " + inner + " was lost: later reads gave " + outer);
                }
            }
        }
    }

    /** Histories by name, made when first asked for. */
    static final class Book {
        private final String group;
        private final Map<String, OffsetHistory> all = new LinkedHashMap<>();
        private long last = 99;

        Book(String group) {
            this.group = group;
        }

        OffsetHistory of(String partition) {
            return all.computeIfAbsent(partition, key -> new OffsetHistory(group + "/" + key));
        }

        long newOffset() {
            return ++last;
        }

        void judge() {
            all.values().forEach(OffsetHistory::judge);
        }
    }
}
