package controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import controller.PartitionChange.Election;
import controller.PartitionChange.Standard;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.Reassignment;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/**
 * Rules C4 and C5 against a naive model of the replicas: how many records each has, and how many are committed (I4). Brokers come and go, followers lag, records are
 * lost with the power, the ISR shrinks and grows, replicas move.
 */
class PartitionChangePropertyTest {

    private static final int BROKERS = 5;

    @Test
    void whoIsEligibleHasEveryCommittedRecord() {
        long seed = new Random().nextLong();
        Coverage coverage = new Coverage();
        for (int run = 0; run < 400; run++) {
            Model model = new Model(new Random(seed + run), run % 4 == 0, coverage);
            for (int step = 0; step < 150; step++) {
                String event = model.step();
                model.check("seed " + (seed + run) + " step " + step + " after " + event);
            }
        }
        assertEquals(List.of(), coverage.missing(), "what no run met; seed " + seed);
    }

    /** That the interesting things happen at all. */
    private static final class Coverage {
        private final Map<String, Integer> met = new TreeMap<>();

        void meet(String what) {
            met.merge(what, 1, Integer::sum);
        }

        List<String> missing() {
            List<String> all = new ArrayList<>(List.of(
                    "elected from the ELR",
                    "recovered",
                    "elected with loss",
                    "reassignment ended",
                    "reassignment cancelled",
                    "nobody may lead",
                    "waits for recovery"));
            all.removeAll(met.keySet());
            return all;
        }
    }

    private static final class Model {
        private final Random random;
        private final boolean unclean;
        private final Coverage coverage;
        private final Set<Integer> active = new TreeSet<>();
        private final int[] records = new int[BROKERS];
        private final Set<Integer> emptied = new TreeSet<>();
        private int committed;
        private int min;
        private PartitionImage partition;

        Model(Random random, boolean unclean, Coverage coverage) {
            this.random = random;
            this.unclean = unclean;
            this.coverage = coverage;
            this.min = 1 + random.nextInt(3);
            for (int i = 0; i < BROKERS; i++) {
                active.add(i);
            }
            List<Integer> replicas = brokers(1 + random.nextInt(3));
            partition = new PartitionImage(0, replicas.get(0), 0, 0, replicas, replicas, directories(replicas));
        }

        private static Uuid directory(int broker) {
            return new Uuid(5, broker);
        }

        private static List<Uuid> directories(List<Integer> brokers) {
            return brokers.stream().map(Model::directory).toList();
        }

        private List<Integer> brokers(int count) {
            Set<Integer> chosen = new LinkedHashSet<>();
            while (chosen.size() < count) {
                chosen.add(random.nextInt(BROKERS));
            }
            return List.copyOf(chosen);
        }

        String step() {
            int broker = random.nextInt(BROKERS);
            switch (random.nextInt(12)) {
                case 0, 1 -> append();
                case 2, 3 -> fetch(broker);
                case 4 -> {
                    return fence(broker);
                }
                case 5, 6 -> {
                    active.add(broker);
                    change("unfence " + broker, each -> each);
                }
                case 7 -> alterIsr();
                case 8 -> {
                    min = 1 + random.nextInt(3);
                    change("min " + min, each -> each);
                }
                case 9 -> reassign();
                case 10 -> change("preferred", each -> each.withElection(Election.PREFERRED));
                default -> recover();
            }
            commit();
            return "some event: " + partition;
        }

        private void append() {
            if (partition.leader() >= 0 && (min <= partition.isr().size() || random.nextBoolean())) {
                records[partition.leader()] += 1 + random.nextInt(3);
            }
        }

        private void fetch(int broker) {
            if (partition.leader() >= 0 && partition.replicas().contains(broker) && active.contains(broker)) {
                records[broker] = records[partition.leader()];
            }
        }

        /** I4. */
        private void commit() {
            if (partition.leader() >= 0 && partition.isr().size() >= min) {
                int all = partition.isr().stream()
                        .mapToInt(each -> records[each])
                        .min()
                        .orElseThrow();
                committed = Math.max(committed, all);
            }
        }

        /** Its process ends; with the power it loses some of what it had, and registers so (C3). */
        private String fence(int broker) {
            active.remove(broker);
            change("fence " + broker, each -> each);
            if (random.nextInt(3) > 0) {
                return "fence " + broker;
            }
            if (random.nextInt(4) == 0) {
                records[broker] = 0;
                emptied.add(broker);
                change("other disk " + broker, each -> each.withNothing(broker));
                return "other disk " + broker;
            }
            if (partition.replicas().contains(broker)) {
                records[broker] = random.nextInt(records[broker] + 1);
            }
            change("loss " + broker, each -> each.withLoss(broker));
            return "loss " + broker;
        }

        private void alterIsr() {
            if (partition.leader() < 0 || partition.eligible().recovering()) {
                if (partition.leader() >= 0) {
                    change("recovered", each -> each.withRecovering(false));
                }
                return;
            }
            List<Integer> isr = new ArrayList<>(partition.isr());
            for (int each : partition.replicas()) {
                boolean inSync = records[each] == records[partition.leader()] && active.contains(each);
                if (!isr.contains(each) && inSync) {
                    isr.add(each);
                } else if (each != partition.leader() && random.nextInt(3) == 0) {
                    isr.remove((Integer) each);
                }
            }
            change("isr " + isr, each -> each.withIsr(isr));
        }

        private void reassign() {
            List<Integer> adding = partition.reassignment().adding();
            List<Integer> original = partition.replicas().stream()
                    .filter(each -> !adding.contains(each))
                    .toList();
            if (!partition.reassignment().equals(Reassignment.NONE) && random.nextBoolean()) {
                boolean keeps = partition.isr().stream().anyMatch(original::contains)
                        || partition.eligible().elr().stream().anyMatch(original::contains);
                if (keeps) {
                    coverage.meet("reassignment cancelled");
                    change("cancel", each -> each.withReplicas(original, Reassignment.NONE, Model::directory));
                }
                return;
            }
            List<Integer> targets = brokers(1 + random.nextInt(3));
            List<Integer> removing = partition.replicas().stream()
                    .filter(each -> !targets.contains(each))
                    .toList();
            List<Integer> all = new ArrayList<>(targets);
            all.addAll(removing);
            List<Integer> nowAdding =
                    all.stream().filter(each -> !original.contains(each)).toList();
            nowAdding.stream()
                    .filter(each -> !partition.replicas().contains(each))
                    .forEach(each -> records[each] = 0);
            Reassignment moving = nowAdding.isEmpty() && removing.isEmpty()
                    ? Reassignment.NONE
                    : new Reassignment(nowAdding, removing);
            change("reassign " + targets, each -> each.withReplicas(all, moving, Model::directory));
        }

        private void recover() {
            List<Integer> lastKnown = partition.eligible().lastKnown();
            if (partition.waitsForRecovery() && active.containsAll(lastKnown)) {
                int most = lastKnown.get(0);
                for (int each : lastKnown) {
                    most = records[each] > records[most] ? each : most;
                }
                int from = most;
                change("recover from " + most, each -> each.withRecoveryFrom(from));
            }
        }

        private void change(String event, UnaryOperator<PartitionChange> edit) {
            PartitionImage before = partition;
            Standard standard = new Standard(min, true, unclean, active::contains, each -> each % 2 == 0);
            PartitionImage after =
                    edit.apply(new PartitionChange(before, standard)).next();
            String why = event + ": " + before + " -> " + after;
            assertEquals(before.partitionEpoch() + (before.equals(after) ? 0 : 1), after.partitionEpoch(), why);
            boolean moved =
                    before.leader() != after.leader() || !after.replicas().containsAll(before.replicas());
            assertEquals(before.leaderEpoch() + (moved ? 1 : 0), after.leaderEpoch(), why);
            partition = after;
            if (after.leader() != before.leader() && after.leader() >= 0) {
                follow(before, after);
            }
            if (!after.replicas().containsAll(before.replicas()) && !event.equals("cancel")) {
                coverage.meet("reassignment ended");
                assertEquals(new TreeSet<>(after.replicas()), new TreeSet<>(after.isr()), why);
            }
            emptied.removeAll(after.isr());
        }

        /** Followers give up what the new leader does not have. */
        private void follow(PartitionImage before, PartitionImage after) {
            int leader = after.leader();
            boolean withLoss = PartitionChange.isElectedWithLoss(before, after);
            if (before.eligible().elr().contains(leader)) {
                coverage.meet("elected from the ELR");
            }
            if (withLoss) {
                coverage.meet(before.waitsForRecovery() ? "recovered" : "elected with loss");
                assertTrue(
                        unclean || before.isr().size() + before.eligible().elr().size() <= 1,
                        () -> before + " " + after);
                boolean most = before.replicas().stream().allMatch(each -> records[each] <= records[leader]);
                assertTrue(
                        unclean || most || !emptied.contains(leader),
                        () -> "a replaced disk leads: " + before + " -> " + after);
                committed = Math.min(committed, records[leader]);
            }
            assertTrue(records[leader] >= committed, () -> "records are lost: " + before + " -> " + after);
            for (int i = 0; i < BROKERS; i++) {
                records[i] = Math.min(records[i], records[leader]);
            }
        }

        void check(String why) {
            List<Integer> isr = partition.isr();
            List<Integer> elr = partition.eligible().elr();
            List<Integer> lastKnown = partition.eligible().lastKnown();
            String all = why + ": " + partition;
            Set<Integer> together = new TreeSet<>(isr);
            together.addAll(elr);
            for (int each : together) {
                assertTrue(records[each] >= committed, () -> each + " lacks committed records; " + all);
            }
            boolean mayLead = together.stream().anyMatch(active::contains);
            together.addAll(lastKnown);
            assertEquals(isr.size() + elr.size() + lastKnown.size(), together.size(), all);
            assertTrue(!together.isEmpty() && partition.replicas().containsAll(together), all);
            assertTrue(active.containsAll(isr), all);
            assertEquals(directories(partition.replicas()), partition.directories(), all);
            assertTrue(partition.leader() < 0 ? isr.isEmpty() : isr.contains(partition.leader()), all);
            assertTrue(partition.leader() >= 0 || !mayLead, all);
            if (isr.size() >= Math.min(min, partition.replicas().size())) {
                assertTrue(elr.isEmpty() && lastKnown.isEmpty(), all);
            }
            if (unclean && partition.replicas().stream().anyMatch(active::contains)) {
                assertTrue(partition.leader() >= 0, all);
            }
            if (partition.leader() < 0) {
                coverage.meet(partition.waitsForRecovery() ? "waits for recovery" : "nobody may lead");
            }
        }
    }
}
