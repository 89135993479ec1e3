package raft;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;

/** A leader's book of who has fetched how much and when, observers too. */
final class Replicas {
    /** As Kafka: an observer that is not heard of for so long is forgotten. */
    private static final long OBSERVER_MILLIS = 300_000;

    /** More replicas than any cluster has; the one silent for longest gives way. */
    private static final int MOST = 2_000;

    private final Quorum quorum;
    private final long since;
    private final TreeMap<Key, Progress> known = new TreeMap<>();

    private record Key(int id, long most, long least) implements Comparable<Key> {
        static Key of(ReplicaKey replica) {
            return new Key(replica.id(), replica.directoryMost(), replica.directoryLeast());
        }

        @Override
        public int compareTo(Key other) {
            int order = Integer.compare(id, other.id);
            order = order == 0 ? Long.compare(most, other.most) : order;
            return order == 0 ? Long.compare(least, other.least) : order;
        }
    }

    private static final class Progress {
        private final ReplicaKey key;
        private long offset = -1;
        private long lastFetch = Long.MIN_VALUE;
        private long caughtUp = Long.MIN_VALUE;
        private long endAtLastFetch = Long.MAX_VALUE;

        private Progress(ReplicaKey key) {
            this.key = key;
        }
    }

    /** @param since when the leadership began: voters are not silent for longer */
    Replicas(Quorum quorum, long since) {
        this.quorum = quorum;
        this.since = since;
    }

    /** A valid request of the replica: it hears this leader. */
    void heard(long now, ReplicaKey replica) {
        progress(now, replica).lastFetch = now;
    }

    /** A Fetch from {@code offset}, at which the logs agree. */
    void fetched(long now, ReplicaKey replica, long offset) {
        Progress progress = progress(now, replica);
        if (offset >= quorum.end().offset()) {
            progress.caughtUp = now;
        } else if (offset >= progress.endAtLastFetch) {
            progress.caughtUp = Math.max(progress.caughtUp, progress.lastFetch);
        }
        progress.offset = offset;
        progress.lastFetch = now;
        progress.endAtLastFetch = quorum.end().offset();
    }

    private Progress progress(long now, ReplicaKey replica) {
        Key key = Key.of(named(replica));
        Progress found = known.get(key);
        if (found == null) {
            makeRoom(now);
            found = new Progress(replica);
            known.put(key, found);
        }
        return found;
    }

    /** A voter of whom the set knows no directory is one replica, whatever its directory. */
    private ReplicaKey named(ReplicaKey replica) {
        VoterSet.Voter voter = quorum.voters.latest().voter(replica.id());
        return voter != null && voter.key().means(replica) ? voter.key() : replica;
    }

    /** The directories of voters may be known now that were not: who was heard before was heard. What it has it says again, as the voter that it is now. */
    void votersChanged() {
        for (VoterSet.Voter each : quorum.voters.latest().voters()) {
            Progress before = known.get(Key.of(ReplicaKey.of(each.key().id())));
            if (each.key().hasDirectory() && before != null) {
                known.remove(Key.of(ReplicaKey.of(each.key().id())));
                Progress now = known.computeIfAbsent(Key.of(each.key()), unused -> new Progress(each.key()));
                now.lastFetch = Math.max(now.lastFetch, before.lastFetch);
            }
        }
    }

    private void makeRoom(long now) {
        known.values().removeIf(each -> !isVoter(each) && each.lastFetch + OBSERVER_MILLIS < now);
        if (known.size() >= MOST) {
            known.values().stream()
                    .filter(each -> !isVoter(each))
                    .min((left, right) -> Long.compare(left.lastFetch, right.lastFetch))
                    .ifPresent(oldest -> known.remove(Key.of(oldest.key)));
        }
    }

    private boolean isVoter(Progress progress) {
        return quorum.voters.latest().contains(progress.key);
    }

    private Progress of(ReplicaKey voter) {
        return known.get(Key.of(voter));
    }

    /** When the voter was last heard, at the earliest when the leadership began. */
    long heardAt(ReplicaKey voter) {
        Progress progress = of(voter);
        return progress == null ? since : Math.max(since, progress.lastFetch);
    }

    boolean neverHeard(ReplicaKey voter) {
        return of(voter) == null;
    }

    /** Rule R13: whether the replica had all that the leader had within {@code millis}. */
    boolean caughtUpWithin(long now, ReplicaKey replica, long millis) {
        Progress progress = of(named(replica));
        return progress != null && progress.caughtUp != Long.MIN_VALUE && now - progress.caughtUp <= millis;
    }

    /** Rule R7: the largest offset up to which a majority of the latest set of voters has all records durable; this leader counts if it votes. */
    long heldByMajority() {
        VoterSet voters = quorum.voters.latest();
        List<Long> ends = new ArrayList<>();
        for (VoterSet.Voter each : voters.voters()) {
            Progress progress = of(each.key());
            if (each.key().means(quorum.self())) {
                ends.add(quorum.durable());
            } else {
                ends.add(progress == null ? -1 : progress.offset);
            }
        }
        ends.sort(Collections.reverseOrder());
        return ends.size() < voters.majority() ? -1 : ends.get(voters.majority() - 1);
    }

    /** Rule R5: when the last of a majority was heard, this leader itself, if it votes, at any time. */
    long majorityHeardAt() {
        VoterSet voters = quorum.voters.latest();
        List<Long> times = new ArrayList<>();
        quorum.otherVoters().forEach(each -> times.add(heardAt(each.key())));
        times.sort(Collections.reverseOrder());
        int needed = voters.majority() - (quorum.isVoter() ? 1 : 0);
        return needed <= 0 ? Long.MAX_VALUE : times.get(needed - 1);
    }

    /** The other voters, those with most records first. */
    List<ReplicaKey> successors() {
        List<ReplicaKey> voters = new ArrayList<>();
        quorum.otherVoters().forEach(each -> voters.add(each.key()));
        voters.sort((left, right) -> Long.compare(offset(right), offset(left)));
        return voters;
    }

    private long offset(ReplicaKey voter) {
        Progress progress = of(voter);
        return progress == null ? -1 : progress.offset;
    }

    /** All that is known, by rising node id; for describing. */
    List<ReplicaProgress> all() {
        return known.values().stream()
                .map(each -> new ReplicaProgress(each.key, each.offset, each.lastFetch, each.caughtUp))
                .toList();
    }
}
