package replication;

import common.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import replication.IsrProposal.Member;
import replication.IsrProposal.Refusal;

/**
 * One controller that never fails, for a cluster of one partition: registers brokers, fences those that are silent, elects leaders, decides on the ISR (rules
 * C1 to C6, in short). What it says of the cluster is a {@link View} with a rising version.
 */
final class ScriptedController {
    static final long SESSION_NANOS = 3_000_000_000L;

    private final List<Integer> replicas;
    private final int minIsr;
    private final Map<Integer, Long> epochs = new TreeMap<>();
    private final Map<Integer, Object> incarnations = new TreeMap<>();
    private final Map<Integer, Long> heard = new TreeMap<>();
    private final TreeSet<Integer> fenced = new TreeSet<>();
    private final TreeSet<Integer> elr = new TreeSet<>();
    private List<Integer> isr;
    private int leader = -1;
    private int leaderEpoch;
    private int partitionEpoch;
    private long version;
    private int leaderChanges;
    private int refusals;

    /** What every node gets to know. {@code eligible}: broker epochs of those that are not fenced. */
    record View(long version, int leader, IsrState state, Map<Integer, Long> eligible) {}

    ScriptedController(int nodes, int minIsr) {
        List<Integer> all = new ArrayList<>();
        for (int id = 0; id < nodes; id++) {
            all.add(id);
            fenced.add(id);
        }
        this.replicas = List.copyOf(all);
        this.isr = replicas;
        this.minIsr = minIsr;
    }

    View view() {
        Map<Integer, Long> eligible = new TreeMap<>(epochs);
        eligible.keySet().removeAll(fenced);
        return new View(version, leader, state(), eligible);
    }

    private IsrState state() {
        return new IsrState(leaderEpoch, partitionEpoch, replicas, List.copyOf(isr), minIsr, false);
    }

    int leader() {
        return leader;
    }

    List<Integer> isr() {
        return isr;
    }

    int leaderChanges() {
        return leaderChanges;
    }

    int refusals() {
        return refusals;
    }

    /**
     * A process has started; gives its broker epoch (rule C1). The same one may ask again.
     *
     * @param lossy it may have lost what was acknowledged (rule C3)
     */
    long register(int id, Object incarnation, boolean lossy, long nowNanos) {
        if (incarnations.put(id, incarnation) == incarnation) {
            return epochs.get(id);
        }
        long epoch = ++version;
        epochs.put(id, epoch);
        heard.put(id, nowNanos);
        fence(id, lossy);
        return epoch;
    }

    /** @param knows version of the newest view that the broker has applied */
    void heartbeat(int id, long epoch, long knows, long nowNanos) {
        if (epochs.getOrDefault(id, -1L) != epoch) {
            return;
        }
        heard.put(id, nowNanos);
        if (fenced.contains(id) && knows >= epoch) {
            fenced.remove(id);
            version++;
            elect();
        }
    }

    void tick(long nowNanos) {
        for (int id : replicas) {
            if (!fenced.contains(id) && nowNanos - heard.get(id) > SESSION_NANOS) {
                fence(id, false);
            }
        }
    }

    private void fence(int id, boolean lossy) {
        version++;
        fenced.add(id);
        if (lossy) {
            elr.remove(id);
        }
        if (isr.contains(id)) {
            List<Integer> rest = new ArrayList<>(isr);
            rest.remove((Integer) id);
            isr = rest;
            partitionEpoch++;
            if (!lossy && rest.size() < minIsr) {
                elr.add(id);
            }
        }
        if (leader == id) {
            leader = -1;
            elect();
        }
    }

    /** Rule C4. */
    private void elect() {
        if (leader >= 0) {
            return;
        }
        int next = first(isr);
        if (next < 0) {
            next = first(List.copyOf(elr));
            if (next >= 0) {
                elr.remove(next);
                isr = List.of(next);
            }
        }
        if (next >= 0) {
            leader = next;
            leaderEpoch++;
            partitionEpoch++;
            leaderChanges++;
            version++;
        }
    }

    private int first(List<Integer> from) {
        for (int id : from) {
            if (!fenced.contains(id)) {
                return id;
            }
        }
        return -1;
    }

    /** Rule C6: null when it is refused with {@code refusal[0]}. */
    IsrState alter(int sender, IsrProposal asked, Refusal[] refusal) {
        refusal[0] = null;
        if (asked.leaderEpoch() != leaderEpoch || sender != leader || asked.partitionEpoch() != partitionEpoch) {
            refusal[0] = Refusal.OUTDATED;
        } else {
            Check.argument(asked.holds(sender), "an ISR without its leader");
            for (Member each : asked.isr()) {
                boolean current = !fenced.contains(each.id()) && epochs.get(each.id()) == each.brokerEpoch();
                if (!isr.contains(each.id()) && !current) {
                    refusal[0] = Refusal.INELIGIBLE;
                }
            }
        }
        if (refusal[0] != null) {
            refusals++;
            return null;
        }
        List<Integer> next = asked.isr().stream().map(Member::id).toList();
        if (next.size() >= minIsr) {
            elr.clear();
        } else {
            isr.stream().filter(each -> !next.contains(each)).forEach(elr::add);
        }
        isr = next;
        elr.removeAll(next);
        partitionEpoch++;
        version++;
        return state();
    }
}
