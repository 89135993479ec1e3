package raft;

import common.Check;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Who votes, by rising node id. Immutable.
 *
 * @param voters each node id once
 */
public record VoterSet(List<Voter> voters) {
    /** Of a node that has not learned it yet. */
    public static final VoterSet EMPTY = new VoterSet(List.of());

    /** A voter and where it listens. */
    public record Voter(ReplicaKey key, List<Endpoint> endpoints) {
        public Voter {
            endpoints = List.copyOf(endpoints);
        }

        Peer peer() {
            return new Peer(key.id(), endpoints);
        }
    }

    public VoterSet {
        List<Voter> sorted = new ArrayList<>(voters);
        sorted.sort(Comparator.comparingInt(each -> each.key.id()));
        for (int i = 1; i < sorted.size(); i++) {
            Check.argument(
                    sorted.get(i - 1).key.id() != sorted.get(i).key.id(), "a node is in the set of voters twice");
        }
        voters = List.copyOf(sorted);
    }

    public int size() {
        return voters.size();
    }

    /** How many of it decide; 1 of none, which nobody can be. */
    public int majority() {
        return voters.size() / 2 + 1;
    }

    /** Whether the replica votes (rule R13: with that directory). */
    public boolean contains(ReplicaKey replica) {
        Voter voter = voter(replica.id());
        return voter != null && voter.key.means(replica);
    }

    /** Null when no voter has that node id. */
    public Voter voter(int id) {
        for (Voter each : voters) {
            if (each.key.id() == id) {
                return each;
            }
        }
        return null;
    }

    /** With this voter, in place of the one of the same node id if there is one. */
    VoterSet with(Voter voter) {
        List<Voter> changed = new ArrayList<>(without(voter.key.id()).voters);
        changed.add(voter);
        return new VoterSet(changed);
    }

    VoterSet without(int id) {
        return new VoterSet(voters.stream().filter(each -> each.key.id() != id).toList());
    }

    @Override
    public String toString() {
        return voters.stream().map(each -> each.key.toString()).collect(Collectors.joining(",", "{", "}"));
    }
}
