package controller;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import metadata.MetadataImage.Eligible;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.Reassignment;
import org.apache.kafka.common.Uuid;

/**
 * One partition's next state, from what is wanted of it and from who is there (rules C2, C4, C5, I14; KIP-455, KIP-966). Whatever else changes, members of the ISR
 * that take no part leave it, a reassignment whose targets are all in the ISR ends, and there is a leader if anybody may lead. Pure; use once.
 */
final class PartitionChange {

    private static final int NOBODY = -1;

    /** Whose leadership is wanted. */
    enum Election {
        /** The present leader's if it may lead, else the first who may. */
        ANY,
        /** The first replica's if it is in the ISR. */
        PREFERRED,
        /** Anybody's who is there, with records lost if need be. */
        UNCLEAN
    }

    /**
     * What is in force for the partition.
     *
     * @param minInsync min.insync.replicas
     * @param elr whether there are eligible leader replicas (eligible.leader.replicas.version)
     * @param unclean unclean.leader.election.enable
     * @param active brokers that may lead and be in the ISR: registered, not fenced, not shutting down, the replica's directory not offline
     * @param fresh brokers heard of lately: preferred among equals, as one that has just died is not fenced yet
     */
    record Standard(int minInsync, boolean elr, boolean unclean, IntPredicate active, IntPredicate fresh) {}

    private final PartitionImage before;
    private final Standard standard;
    private final List<Integer> lost = new ArrayList<>();
    private final List<Integer> emptied = new ArrayList<>();
    private Election election = Election.ANY;
    private int recoverFrom = NOBODY;
    private List<Integer> replicas;
    /** Of those that come. */
    private final Map<Integer, Uuid> newDirectories = new TreeMap<>();

    private Reassignment reassignment;
    private List<Integer> isr;
    private List<Integer> elr;
    private List<Integer> lastKnown;
    private boolean recovering;

    PartitionChange(PartitionImage before, Standard standard) {
        this.before = before;
        this.standard = standard;
        this.replicas = before.replicas();
        this.reassignment = before.reassignment();
        this.isr = before.isr();
        this.elr = before.eligible().elr();
        this.lastKnown = before.eligible().lastKnown();
        this.recovering = before.eligible().recovering();
    }

    /** A new leader that was neither in the ISR nor eligible. */
    static boolean isElectedWithLoss(PartitionImage before, PartitionImage after) {
        int leader = after.leader();
        return after.eligible().recovering()
                && leader >= 0
                && leader != before.leader()
                && !before.isr().contains(leader)
                && !before.eligible().elr().contains(leader);
    }

    /** The leader proposes this ISR; it is checked already (C6). */
    PartitionChange withIsr(List<Integer> proposed) {
        isr = proposed;
        return this;
    }

    /**
     * Where the replicas are to be, those that come and go included.
     *
     * @param choice the log directory of each that comes
     */
    PartitionChange withReplicas(List<Integer> wanted, Reassignment moving, IntFunction<Uuid> choice) {
        replicas = wanted;
        wanted.stream()
                .filter(each -> !before.replicas().contains(each))
                .forEach(each -> newDirectories.put(each, choice.apply(each)));
        reassignment = moving;
        return this;
    }

    /** This broker's replica may have lost records that it had (C3). */
    PartitionChange withLoss(int broker) {
        lost.add(broker);
        return this;
    }

    /** This broker's replica has lost all records that it had, with its disk (S13): nobody needs to wait for it. */
    PartitionChange withNothing(int broker) {
        emptied.add(broker);
        return withLoss(broker);
    }

    /** The leader says whether it is still recovering from an election with possible loss. */
    PartitionChange withRecovering(boolean still) {
        recovering = still;
        return this;
    }

    PartitionChange withElection(Election wanted) {
        election = wanted;
        return this;
    }

    /** All that could hold the records have been asked, and this broker's replica holds the most (C4). */
    PartitionChange withRecoveryFrom(int broker) {
        recoverFrom = broker;
        return this;
    }

    /** The state after it; {@code before} itself when nothing changes. */
    PartitionImage next() {
        List<Integer> staying = select(isr, this::stays);
        isr = staying.isEmpty() && !standard.elr() ? lastMembers() : staying;
        endReassignment();
        chooseEligible();
        int leader = elect();
        boolean moved = leader != before.leader() || !replicas.containsAll(before.replicas());
        Eligible eligible = elr.isEmpty() && lastKnown.isEmpty() && !recovering
                ? Eligible.ISR_ONLY
                : new Eligible(List.copyOf(elr), List.copyOf(lastKnown), recovering);
        PartitionImage after = new PartitionImage(
                before.partition(),
                leader,
                before.leaderEpoch() + (moved ? 1 : 0),
                before.partitionEpoch(),
                List.copyOf(replicas),
                List.copyOf(isr),
                eligible,
                reassignment,
                directories());
        return after.equals(before) ? before : withNextPartitionEpoch(after);
    }

    private List<Uuid> directories() {
        return replicas.equals(before.replicas())
                ? before.directories()
                : replicas.stream()
                        .map(each -> newDirectories.getOrDefault(each, before.directory(each)))
                        .toList();
    }

    private static PartitionImage withNextPartitionEpoch(PartitionImage after) {
        return new PartitionImage(
                after.partition(),
                after.leader(),
                after.leaderEpoch(),
                after.partitionEpoch() + 1,
                after.replicas(),
                after.isr(),
                after.eligible(),
                after.reassignment(),
                after.directories());
    }

    /** Without eligible leader replicas an ISR never gets empty: who was in it last is waited for, as in older Kafkas. */
    private List<Integer> lastMembers() {
        List<Integer> last = select(isr, replicas::contains);
        last = last.isEmpty() ? select(elr, replicas::contains) : last;
        last = last.isEmpty() ? select(lastKnown, replicas::contains) : last;
        return last.isEmpty() ? List.of(replicas.get(0)) : last;
    }

    private boolean stays(int broker) {
        return replicas.contains(broker) && !lost.contains(broker) && active(broker);
    }

    /** I14: old replicas leave only when every target replica is in the ISR; and not before a leader elected with loss has recovered. */
    private void endReassignment() {
        if (reassignment.equals(Reassignment.NONE) || recovering) {
            return;
        }
        List<Integer> targets =
                select(replicas, each -> !reassignment.removing().contains(each));
        if (isr.containsAll(targets)) {
            isr = select(isr, targets::contains);
            replicas = targets;
            reassignment = Reassignment.NONE;
        }
    }

    /**
     * C5: who leaves an ISR that is too small has every record that was committed, as none is while it is too small; unless it lost some (C3): then it is only
     * remembered, or if it lost all, forgotten. The ISR never is too small for all replicas there are.
     */
    private void chooseEligible() {
        if (!standard.elr() || isr.size() >= Math.min(standard.minInsync(), replicas.size())) {
            elr = List.of();
            lastKnown = List.of();
            return;
        }
        List<Integer> members = union(before.eligible().elr(), before.isr());
        elr = select(members, each -> replicas.contains(each) && !isr.contains(each) && !lost.contains(each));
        lastKnown = select(
                union(before.eligible().lastKnown(), members),
                each -> replicas.contains(each)
                        && !isr.contains(each)
                        && !elr.contains(each)
                        && !emptied.contains(each));
        if (isr.isEmpty() && elr.isEmpty() && lastKnown.isEmpty()) {
            // The disk of the last one is gone, or a reassignment was cancelled that had taken the records elsewhere:
            // whoever has the most of what is left.
            lastKnown = replicas;
        }
    }

    /** C4, in its order. */
    private int elect() {
        int preferred = replicas.get(0);
        if (election == Election.PREFERRED && mayLead(preferred)) {
            return preferred;
        }
        if (replicas.contains(before.leader()) && mayLead(before.leader())) {
            return before.leader();
        }
        int clean = first(replicas, this::mayLead);
        if (clean != NOBODY) {
            return clean;
        }
        int eligible = first(replicas, each -> elr.contains(each) && active(each));
        if (eligible != NOBODY) {
            isr = List.of(eligible);
            endReassignment();
            chooseEligible();
            return eligible;
        }
        return electWithLoss();
    }

    private int electWithLoss() {
        int leader = recoverable();
        if (leader == NOBODY && (standard.unclean() || election == Election.UNCLEAN)) {
            leader = first(lastKnown, this::active);
            leader = leader == NOBODY ? first(replicas, this::active) : leader;
        }
        if (leader != NOBODY) {
            isr = List.of(leader);
            elr = List.of();
            lastKnown = List.of();
            recovering = true;
        }
        return leader;
    }

    /** Who leads again when nobody is left that surely has everything; of several only the one that was found to have the most. */
    private int recoverable() {
        if (!isr.isEmpty() || !elr.isEmpty()) {
            return NOBODY;
        }
        int candidate = lastKnown.size() == 1 ? lastKnown.get(0) : recoverFrom;
        return lastKnown.contains(candidate) && active(candidate) ? candidate : NOBODY;
    }

    private boolean mayLead(int broker) {
        return isr.contains(broker) && active(broker);
    }

    private boolean active(int broker) {
        return standard.active().test(broker);
    }

    private int first(List<Integer> brokers, Predicate<Integer> condition) {
        int found = NOBODY;
        for (int broker : brokers) {
            if (condition.test(broker)) {
                if (standard.fresh().test(broker)) {
                    return broker;
                }
                found = found == NOBODY ? broker : found;
            }
        }
        return found;
    }

    /** The same list where all are selected: most changes leave most of it alone. */
    private static List<Integer> select(List<Integer> brokers, Predicate<Integer> condition) {
        List<Integer> selected = new ArrayList<>(brokers.size());
        for (Integer each : brokers) {
            if (condition.test(each)) {
                selected.add(each);
            }
        }
        return selected.size() == brokers.size() ? brokers : selected;
    }

    private static List<Integer> union(List<Integer> first, List<Integer> second) {
        List<Integer> all = new ArrayList<>(first);
        second.stream().filter(each -> !first.contains(each)).forEach(all::add);
        return all;
    }
}
