package sim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What members of one KIP-848 group were told to own, put together (rules G5 to G7). A member surely owns a partition from the answer that gives it until it reports
 * it released, or until it may have been removed: a session after it sent the last heartbeat whose answer left it the partition, and a rebalance timeout after the last whose answer asked nothing of it.
 */
final class OwnershipJudge {
    /** Clocks of a node drift by up to 1 %. */
    private static final double DRIFT = 0.97;

    private final String group;
    private final long sessionNanos;
    private final long rebalanceNanos;
    private final Map<String, Map<String, Claim>> members = new LinkedHashMap<>();
    private final Map<String, Long> askedNothing = new LinkedHashMap<>();
    private final Map<String, Set<String>> late = new LinkedHashMap<>();
    private final Map<String, Owner> newestOwner = new TreeMap<>();

    /** @param member null when two were told at once, so that nobody can say who was first */
    private record Owner(String member, long toldAt) {}

    private static final class Claim {
        private final long from;
        private long until;
        private boolean open = true;

        private Claim(long from) {
            this.from = from;
        }
    }

    OwnershipJudge(String group, long sessionMillis, long rebalanceMillis) {
        this.group = group;
        this.sessionNanos = (long) (sessionMillis * SimScheduler.MILLI * DRIFT);
        this.rebalanceNanos = (long) (rebalanceMillis * SimScheduler.MILLI * DRIFT);
    }

    /**
     * A heartbeat sent at {@code begun} was answered: so the member has these.
     *
     * @param asked it is to give up others
     */
    void holds(String member, Set<String> partitions, boolean asked, long begun, long now) {
        long nothing = asked ? askedNothing.getOrDefault(member, begun) : begun;
        askedNothing.put(member, nothing);
        long until = Math.min(begun + sessionNanos, nothing + rebalanceNanos);
        Map<String, Claim> claims = members.computeIfAbsent(member, key -> new TreeMap<>());
        for (String partition : partitions) {
            Claim claim = claims.get(partition);
            if (claim == null || !claim.open) {
                claim = new Claim(now);
                claims.put(partition, claim);
                noteOwner(partition, member, begun, now);
            }
            claim.until = Math.max(claim.until, until);
            compare(member, partition, claim);
        }
    }

    private void noteOwner(String partition, String member, long begun, long now) {
        Owner before = newestOwner.get(partition);
        boolean clear = before == null || begun > before.toldAt || member.equals(before.member);
        newestOwner.put(partition, new Owner(clear ? member : null, now));
    }

    /**
     * A heartbeat that said that the member has {@code said} got no answer. It may still arrive, on a connection that was given up, at an epoch at which the
     * coordinator has to believe it: then it gives up what the member was told to have since. Nothing in it tells it from a new one.
     */
    void unanswered(String member, Set<String> said) {
        late.merge(member, new TreeSet<>(said), (one, other) -> {
            one.retainAll(other);
            return one;
        });
    }

    /** None of those can be accepted any more. */
    void settled(String member) {
        late.remove(member);
    }

    private boolean unsure(String member, String partition) {
        Set<String> kept = late.get(member);
        return kept != null && !kept.contains(partition);
    }

    private void compare(String member, String partition, Claim claim) {
        for (Map.Entry<String, Map<String, Claim>> each : members.entrySet()) {
            boolean told =
                    !each.getKey().equals(member) && !unsure(member, partition) && !unsure(each.getKey(), partition);
            Claim other = told ? each.getValue().get(partition) : null;
            if (other != null && Math.max(claim.from, other.from) < Math.min(claim.until, other.until)) {
                throw new RuleBroken(
                        "G5 one owner",
                        group + "/" + partition + ": " + member + " (" + span(claim) + ") and " + each.getKey() + " ("
                                + span(other) + ")");
            }
        }
    }

    private static String span(Claim claim) {
        return claim.from / 1e6 + " to at least " + claim.until / 1e6 + " ms";
    }

    /** The member says, in what it sends now, that it has the partition no more. */
    void released(String member, String partition, long now) {
        Claim claim = members.getOrDefault(member, Map.of()).get(partition);
        if (claim != null) {
            claim.open = false;
            claim.until = Math.min(claim.until, now);
        }
    }

    /** Leaves, or begins anew. */
    void releasedAll(String member, long now) {
        members.getOrDefault(member, Map.of()).keySet().forEach(partition -> released(member, partition, now));
    }

    /** Who was told last that it owns the partition; null for nobody, or when that is not clear. */
    String newestOwner(String partition) {
        Owner owner = newestOwner.get(partition);
        return owner == null ? null : owner.member;
    }
}
