package raft;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What a node has on its disk: vote file, log with a durable part, snapshots. A crash takes the rest. Also the log that the machine asks. */
final class ReplicaDisk implements RaftLog {
    final ReplicaKey key;
    private final List<Entry> entries = new ArrayList<>();
    /** Of each entry with all before it. */
    private final List<Long> hashes = new ArrayList<>();

    private final List<Snapshot> snapshots = new ArrayList<>();
    private OffsetAndEpoch start = OffsetAndEpoch.START;
    private long startHash;
    private long durable;
    private boolean writing;
    private VoteState vote = VoteState.NONE;

    /**
     * A snapshot.
     *
     * @param hash of all records below its end
     */
    record Snapshot(OffsetAndEpoch end, long hash, VotersAt voters) {
        private static final int BYTES = 400;

        ByteBuffer encode() {
            ByteBuffer out = ByteBuffer.allocate(BYTES);
            out.putLong(end.offset()).putInt(end.epoch()).putLong(hash);
            out.putLong(voters == null ? -1 : voters.offset());
            Entry.put(out, voters == null ? null : voters.voters());
            return out.clear();
        }

        static Snapshot decode(ByteBuffer in) {
            OffsetAndEpoch end = new OffsetAndEpoch(in.getLong(), in.getInt());
            long hash = in.getLong();
            long offset = in.getLong();
            VoterSet voters = Entry.voters(in);
            return new Snapshot(end, hash, voters == null ? null : new VotersAt(offset, voters));
        }
    }

    ReplicaDisk(ReplicaKey key) {
        this.key = key;
    }

    VoteState vote() {
        return vote;
    }

    void vote(VoteState written) {
        vote = written;
    }

    // Log.

    @Override
    public OffsetAndEpoch end() {
        return entries.isEmpty()
                ? start
                : new OffsetAndEpoch(
                        start.offset() + entries.size(),
                        entries.get(entries.size() - 1).epoch());
    }

    @Override
    public long durableEnd() {
        return durable;
    }

    @Override
    public OffsetAndEpoch start() {
        return start;
    }

    @Override
    public OffsetAndEpoch endOfEpoch(int epoch) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (entries.get(i).epoch() <= epoch) {
                return new OffsetAndEpoch(start.offset() + i + 1, entries.get(i).epoch());
            }
        }
        return start;
    }

    @Override
    public OffsetAndEpoch snapshot() {
        return snapshots.isEmpty() ? null : newest().end();
    }

    @Override
    public boolean writing() {
        return writing;
    }

    void writing(boolean now) {
        writing = now;
    }

    Snapshot newest() {
        return snapshots.isEmpty() ? null : snapshots.get(snapshots.size() - 1);
    }

    Snapshot snapshot(OffsetAndEpoch end) {
        return snapshots.stream()
                .filter(each -> each.end().equals(end))
                .findFirst()
                .orElse(null);
    }

    boolean has(long offset) {
        return offset >= start.offset() && offset < end().offset();
    }

    Entry at(long offset) {
        return entries.get((int) (offset - start.offset()));
    }

    /** Of the record at {@code offset}, which may be the one before the log's start. */
    int epochAt(long offset) {
        return offset == start.offset() - 1 ? start.epoch() : at(offset).epoch();
    }

    /** Hash of all records below {@code end}, which is in the log or its start. */
    long hash(long end) {
        return end == start.offset() ? startHash : hashes.get((int) (end - start.offset() - 1));
    }

    List<Entry> read(long from, long bound, int most) {
        List<Entry> found = new ArrayList<>();
        for (long offset = from; offset < Math.min(bound, end().offset()) && found.size() < most; offset++) {
            found.add(at(offset));
        }
        return found;
    }

    void append(Entry entry) {
        hashes.add(Entry.mix(hash(end().offset()) ^ entry.hash()));
        entries.add(entry);
    }

    void sync(long upTo) {
        durable = Math.max(durable, Math.min(upTo, end().offset()));
    }

    void truncate(long end) {
        while (end().offset() > end && !entries.isEmpty()) {
            entries.remove(entries.size() - 1);
            hashes.remove(hashes.size() - 1);
        }
        durable = Math.min(durable, end().offset());
    }

    /** Rule R12: the prefix may go after the snapshot is durable. */
    void addSnapshot(Snapshot taken) {
        snapshots.add(taken);
    }

    void deleteBefore(OffsetAndEpoch snapshot) {
        startHash = hash(snapshot.offset());
        int gone = (int) (snapshot.offset() - start.offset());
        entries.subList(0, gone).clear();
        hashes.subList(0, gone).clear();
        start = snapshot;
        snapshots.removeIf(each -> each.end().offset() < snapshot.offset());
    }

    void install(Snapshot fetched) {
        entries.clear();
        hashes.clear();
        snapshots.clear();
        snapshots.add(fetched);
        start = fetched.end();
        startHash = fetched.hash();
        durable = start.offset();
    }

    /** What is not fsynced is lost from {@code kept} on. */
    void crash(long kept) {
        truncate(Math.max(durable, kept));
        durable = end().offset();
        writing = false;
    }

    /** The voters records in the log, and what the snapshot at its start says. */
    List<VotersAt> voters() {
        List<VotersAt> found = new ArrayList<>();
        Snapshot first = snapshot(start);
        if (first != null && first.voters() != null) {
            found.add(first.voters());
        }
        for (long offset = start.offset(); offset < end().offset(); offset++) {
            if (at(offset).voters() != null) {
                found.add(new VotersAt(offset, at(offset).voters()));
            }
        }
        return found;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(start.offset() == 0 ? "" : "..." + start + " ");
        for (Entry each : entries) {
            text.append(each.epoch());
            if (each.voters() != null) {
                text.append(each.voters());
            } else {
                text.append(
                        each.value() == 0
                                ? "*"
                                : each.value() < 27 ? "" + (char) ('a' + each.value() - 1) : "." + each.value());
            }
            text.append(' ');
        }
        return text.toString().trim();
    }
}
