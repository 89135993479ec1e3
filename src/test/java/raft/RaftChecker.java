package raft;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import sim.RuleBroken;

/** Judges each step of each replica, by what is on the disks, not by what the machine believes. */
final class RaftChecker {
    private final Collection<ReplicaDisk> disks;
    private final Map<Integer, String> leaders = new TreeMap<>();
    private final TreeMap<Long, Long> committed = new TreeMap<>();
    private final Map<OffsetAndEpoch, Long> prefixes = new LinkedHashMap<>();
    private final Map<ReplicaKey, Long> damaged = new LinkedHashMap<>();
    private final Map<String, Integer> counts = new TreeMap<>();

    /** @param disks of all nodes that exist, live */
    RaftChecker(Collection<ReplicaDisk> disks) {
        this.disks = disks;
    }

    Map<String, Integer> counts() {
        return counts;
    }

    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    /** End of what any replica has held for committed. */
    long committedEnd() {
        return committed.isEmpty() ? 0 : committed.lastKey();
    }

    int leadersSoFar() {
        return leaders.size();
    }

    private static void holds(boolean condition, String rule, String values) {
        if (!condition) {
            throw new RuleBroken(rule, values);
        }
    }

    void observe(ReplicaHost host, RaftOutput before, RaftOutput output) {
        ReplicaDisk disk = host.disk();
        RaftOutput.Standing now = output.standing();
        boolean led = before != null && before.standing().role() == RaftOutput.Role.LEADER;
        if (now.role() == RaftOutput.Role.LEADER) {
            String name = disk.key.toString();
            String other = leaders.putIfAbsent(now.epoch(), name);
            holds(
                    other == null || other.equals(name),
                    "R2 one leader per epoch",
                    now.epoch() + ": " + other + ", " + name);
            if (!led || before.standing().epoch() != now.epoch()) {
                count("leaders");
                complete(disk, now.epoch());
            }
        }
        long was = before == null ? -1 : before.highWatermark();
        holds(output.highWatermark() >= was, "R7 high watermark falls", was + " to " + output.highWatermark());
        if (output.highWatermark() > was) {
            commits(host, was, output);
        }
        output.tasks().forEach(each -> count(each.getClass().getSimpleName()));
        if (now.role() != (before == null ? null : before.standing().role())) {
            count(now.role().name());
        }
    }

    /** R11: a leader has all that is committed. */
    private void complete(ReplicaDisk disk, int epoch) {
        if (committed.isEmpty()) {
            return;
        }
        long end = committed.lastKey();
        holds(
                disk.end().offset() >= end,
                "R11 leader completeness",
                disk.key + " leads epoch " + epoch + " with a log to " + disk.end() + ", committed is " + end);
        if (disk.start().offset() <= end) {
            holds(
                    disk.hash(end) == committed.get(end),
                    "R11 leader completeness",
                    disk.key + " leads epoch " + epoch + " with other records below " + end);
        }
    }

    private void commits(ReplicaHost host, long was, RaftOutput output) {
        ReplicaDisk disk = host.disk();
        long end = output.highWatermark();
        holds(end <= disk.end().offset(), "R7 commits what it has", disk.key + " " + end + " of " + disk.end());
        for (long offset = Math.max(disk.start().offset(), Math.max(was, 0)); offset <= end; offset++) {
            Long known = committed.putIfAbsent(offset, disk.hash(offset));
            holds(
                    known == null || known == disk.hash(offset),
                    "R11 state machine safety",
                    disk.key + " applies other records below " + offset + " than were applied before");
        }
        if (output.standing().role() == RaftOutput.Role.LEADER) {
            holds(
                    disk.epochAt(end - 1) == output.standing().epoch(),
                    "R6 own epoch",
                    disk.key + " commits up to " + end + " of epoch " + disk.epochAt(end - 1) + " in epoch "
                            + output.standing().epoch());
        }
        if (output.standing().role() == RaftOutput.Role.LEADER) {
            durableAtMajority(host, end);
        }
    }

    /** What the replica had fsynced up to {@code end} is about to be lost to a fault of the disk; it promised truly. */
    void damages(ReplicaKey replica, long end) {
        damaged.merge(replica, end, Math::max);
    }

    /** R7, R8: a power cut of all nodes now would lose nothing below {@code end}. */
    private void durableAtMajority(ReplicaHost host, long end) {
        VoterSet voters = host.node().voters();
        long hash = host.disk().hash(end);
        int holding = 0;
        for (VoterSet.Voter voter : voters.voters()) {
            if (damaged.entrySet().stream()
                    .anyMatch(each -> voter.key().means(each.getKey()) && each.getValue() >= end)) {
                holding++;
                continue;
            }
            for (ReplicaDisk disk : disks) {
                boolean below = end < disk.start().offset();
                boolean same = below || (disk.durableEnd() >= end && disk.hash(end) == hash);
                if (voter.key().means(disk.key) && same) {
                    holding++;
                }
            }
        }
        holds(
                holding >= voters.majority(),
                "R7 R8 durable at a majority",
                host.disk().key + " commits up to " + end + " with " + holding + " of " + voters);
    }

    /** R9: two logs with a record of the same offset and epoch are the same up to it. R13 of the voters records among them. */
    void appended(ReplicaHost host, long from) {
        ReplicaDisk disk = host.disk();
        for (long offset = from; offset < disk.end().offset(); offset++) {
            Long known = prefixes.putIfAbsent(
                    new OffsetAndEpoch(offset, disk.at(offset).epoch()), disk.hash(offset + 1));
            holds(
                    known == null || known == disk.hash(offset + 1),
                    "R9 log matching",
                    disk.key + " has another record or prefix at " + offset + " of epoch "
                            + disk.at(offset).epoch());
            if (known == null && disk.at(offset).voters() != null) {
                votersChange(host, offset);
            }
        }
    }

    private void votersChange(ReplicaHost host, long offset) {
        count("voter changes");
        VoterSet before = host.node().voters();
        VoterSet after = host.disk().at(offset).voters();
        long differences = before.voters().stream()
                        .filter(each -> !after.contains(each.key()))
                        .count()
                + after.voters().stream()
                        .filter(each -> before.voter(each.key().id()) == null)
                        .count();
        holds(differences <= 1, "R13 one voter at a time", before + " to " + after);
        long high = host.last().highWatermark();
        for (long each = host.disk().start().offset(); each < offset; each++) {
            boolean voters = host.disk().at(each).voters() != null;
            holds(
                    !voters || each < high,
                    "R13 one change at a time",
                    "at " + each + " and " + offset + ", committed " + high);
        }
        holds(
                high > 0
                        && host.disk().epochAt(high - 1)
                                == host.disk().at(offset).epoch(),
                "R13 own epoch first",
                "a change at " + offset + ", committed " + high);
    }

    /** R1: the state that a message depends on is on the disk when it leaves. */
    void sends(ReplicaHost host, RaftRequest request) {
        VoteState vote = host.disk().vote();
        if (request instanceof RaftRequest.Vote stands && !stands.preVote()) {
            int epoch = stands.epoch();
            boolean own = vote.epoch() == epoch && vote.votedId() == host.id();
            holds(own || vote.epoch() > epoch, "R1 candidacy persisted", host.disk().key + " " + request + ", " + vote);
        } else if (request instanceof RaftRequest.Fetch fetch) {
            int epoch = fetch.epoch();
            holds(vote.epoch() >= epoch, "R1 epoch persisted", host.disk().key + " " + request + ", " + vote);
        }
    }

    /** @param asked null when it is not known any more */
    void replies(ReplicaHost host, RaftRequest asked, RaftResponse response) {
        VoteState vote = host.disk().vote();
        boolean granted = response instanceof RaftResponse.Vote answer && answer.granted();
        if (granted && asked instanceof RaftRequest.Vote request && !request.preVote()) {
            boolean given = vote.epoch() == request.epoch()
                    && vote.votedId() == request.candidate().id();
            holds(
                    given || vote.epoch() > request.epoch(),
                    "R1 vote persisted",
                    host.disk().key + " " + request + ", " + vote);
        }
        holds(
                vote.epoch() >= response.head().epoch(),
                "R1 epoch persisted",
                host.disk().key + " " + response + ", " + vote);
    }
}
