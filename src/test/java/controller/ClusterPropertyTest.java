package controller;

import static controller.ClusterLab.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import metadata.ImageRecords;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.Reassignment;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.junit.jupiter.api.Test;

/**
 * The whole controller under random requests, time and fail-overs, of which some lose the end of a decision in parts: what is committed keeps rules C1, C2, C4, C5 and
 * I14 after every step, and a snapshot holds it all (R12).
 */
class ClusterPropertyTest {

    private static final int BROKERS = 5;

    @Test
    void invariantsHoldWhateverHappens() {
        long seed = new Random().nextLong();
        for (int run = 0; run < 60; run++) {
            Run each = new Run(seed + run);
            for (int step = 0; step < 250; step++) {
                MetadataImage before = each.lab.image();
                String event = each.step();
                each.check(before, "seed " + (seed + run) + " step " + step + " " + event);
            }
            each.checkSnapshot("seed " + (seed + run));
        }
    }

    private static final class Run {
        private final ClusterLab lab;
        private final Random random;
        private int topics;

        Run(long seed) {
            lab = new ClusterLab(seed);
            random = new Random(seed);
            lab.elr(random.nextInt(4) > 0);
        }

        String step() {
            int broker = random.nextInt(BROKERS);
            BrokerImage known = lab.image().broker(broker);
            int kind = known == null ? 0 : random.nextInt(14);
            switch (kind) {
                case 0 -> register(broker, known);
                case 1, 2, 3, 4 -> commit(lab.machine.heartbeat(lab.beat(broker), lab.now));
                case 5 ->
                    commit(lab.machine.heartbeat(
                            lab.beat(broker).setWantShutDown(true).setWantFence(random.nextInt(4) == 0), lab.now));
                case 6 -> {
                    lab.now += random.nextInt(3) * SECOND;
                    commit(lab.machine.fenceStale(lab.now));
                }
                case 7 -> create();
                case 8, 9 -> onTopic(topic -> alterIsr(topic));
                case 10 -> onTopic(topic -> reassign(topic));
                case 11 ->
                    onTopic(topic -> {
                        lab.elect(topic.name(), random.nextInt(4) == 0 ? 1 : 0);
                    });
                case 12 -> settings();
                default -> rarely(broker, known);
            }
            return "kind " + kind + " broker " + broker;
        }

        /** The end of a decision in parts is lost now and then, mostly with the controller; the next one, or the same, finishes what matters. */
        private <T> T commit(Decision<T> decision) {
            List<MetadataRecord> records = decision.records();
            if (!decision.whole() && records.size() > 1 && random.nextInt(4) == 0) {
                lab.commit(records.subList(0, random.nextInt(records.size())));
                if (random.nextInt(3) > 0) {
                    lab.failOver();
                } else {
                    lab.machine.revertTo(lab.image());
                    while (lab.commit(lab.machine.fenceStale(lab.now))) {}
                }
            } else {
                lab.commit(records);
            }
            return decision.answer();
        }

        private void register(int broker, BrokerImage known) {
            long previous = known == null || random.nextBoolean() ? -1 : known.epoch();
            BrokerRegistrationRequestData request = lab.registration(broker, previous);
            request.setRack("r" + broker % 2);
            BootReport report =
                    random.nextInt(3) == 0 ? null : new BootReport("boot" + random.nextInt(2), random.nextBoolean());
            if (known != null && random.nextInt(5) == 0) {
                request.setIncarnationId(known.incarnationId());
            }
            commit(lab.machine.registerBroker(request, report, lab.now));
        }

        private void create() {
            List<Integer> active = lab.image().brokers().stream()
                    .filter(PartitionChanges::isActive)
                    .map(BrokerImage::id)
                    .toList();
            if (topics < 6 && !active.isEmpty()) {
                List<Integer> some = active.subList(0, 1 + random.nextInt(active.size()));
                lab.create("t" + topics++, List.of(some, some));
            }
        }

        private interface OnTopic {
            void run(TopicImage topic);
        }

        private void onTopic(OnTopic action) {
            if (topics > 0) {
                action.run(lab.image().topic("t" + random.nextInt(topics)));
            }
        }

        private void alterIsr(TopicImage topic) {
            PartitionImage partition = topic.partitions().get(0);
            List<Integer> isr = new ArrayList<>(partition.replicas());
            isr.removeIf(each -> each != partition.leader() && random.nextInt(3) == 0);
            if (partition.eligible().recovering()) {
                isr.retainAll(List.of(partition.leader()));
            }
            commit(lab.machine.alterPartition(lab.proposal(topic.name(), isr)));
        }

        private void reassign(TopicImage topic) {
            List<Integer> all = new ArrayList<>();
            lab.image().brokers().forEach(each -> all.add(each.id()));
            java.util.Collections.shuffle(all, random);
            lab.reassign(topic.name(), random.nextInt(4) == 0 ? null : all.subList(0, 1 + random.nextInt(all.size())));
        }

        private void settings() {
            String topic = topics == 0 || random.nextBoolean() ? "" : "t" + random.nextInt(topics);
            if (random.nextInt(3) == 0) {
                lab.set(topic, "unclean.leader.election.enable", "" + (random.nextInt(3) == 0));
            } else {
                lab.set(topic, "min.insync.replicas", "" + (1 + random.nextInt(3)));
            }
        }

        private void rarely(int broker, BrokerImage known) {
            switch (random.nextInt(4)) {
                case 0 -> lab.failOver();
                case 1 -> commit(lab.machine.unregisterBroker(new UnregisterBrokerRequestData().setBrokerId(broker)));
                case 2 -> commit(lab.machine.balanceLeaders());
                default -> {
                    List<ReplicaEnd> ends = new ArrayList<>();
                    lab.image()
                            .topics()
                            .forEach(topic -> topic.partitions()
                                    .forEach(each -> ends.add(
                                            new ReplicaEnd(topic.id(), each.partition(), 1, random.nextInt(9)))));
                    commit(lab.machine.recover(broker, known.epoch(), ends));
                }
            }
        }

        void check(MetadataImage before, String why) {
            MetadataImage image = lab.image();
            for (BrokerImage broker : image.brokers()) {
                BrokerImage old = before.broker(broker.id());
                assertTrue(old == null || old.epoch() <= broker.epoch(), why);
                assertEquals(
                        broker.incarnationId().equals(old == null ? null : old.incarnationId()),
                        old != null && old.epoch() == broker.epoch(),
                        why + " C1");
            }
            boolean elr = image.features().level(metadata.Features.ELIGIBLE_LEADERS) > 0;
            for (TopicImage topic : image.topics()) {
                for (PartitionImage each : topic.partitions()) {
                    TopicImage oldTopic = before.topic(topic.id());
                    PartitionImage old =
                            oldTopic == null ? null : oldTopic.partitions().get(each.partition());
                    check(image, old, each, elr, why + ": " + old + " -> " + each);
                }
            }
        }

        private static void check(
                MetadataImage image, PartitionImage old, PartitionImage now, boolean elr, String why) {
            if (old != null) {
                assertTrue(now.equals(old) || now.partitionEpoch() > old.partitionEpoch(), why);
                assertTrue(now.leaderEpoch() >= old.leaderEpoch(), why);
                assertTrue(now.leader() == old.leader() || now.leaderEpoch() > old.leaderEpoch(), why);
            }
            boolean led = now.leader() >= 0;
            assertTrue(!led || PartitionChanges.isActive(image.broker(now.leader())), "C2 leader " + why);
            assertTrue(!led || now.isr().contains(now.leader()), why);
            for (int member : now.isr()) {
                boolean active = PartitionChanges.isActive(image.broker(member));
                assertTrue(active || (!elr && !led), "C2 ISR " + why);
            }
            List<Integer> all = new ArrayList<>(now.isr());
            all.addAll(now.eligible().elr());
            boolean mayLead = all.stream().anyMatch(each -> PartitionChanges.isActive(image.broker(each)));
            assertTrue(led || !mayLead, "C4 " + why);
            all.addAll(now.eligible().lastKnown());
            assertEquals(all.size(), new TreeSet<>(all).size(), why);
            assertTrue(!all.isEmpty() && now.replicas().containsAll(all), why);
            assertEquals(now.replicas().size(), new TreeSet<>(now.replicas()).size(), why);
            Reassignment moving = now.reassignment();
            List<Integer> targets = new ArrayList<>(now.replicas());
            targets.removeAll(moving.removing());
            assertTrue(now.replicas().containsAll(moving.adding()), why);
            boolean ended = moving.equals(Reassignment.NONE);
            assertTrue(ended || now.eligible().recovering() || !now.isr().containsAll(targets), "I14 " + why);
        }

        void checkSnapshot(String why) {
            MetadataDelta copy = new MetadataDelta(MetadataImage.empty("c"));
            long version = lab.image().version();
            ImageRecords.write(lab.image(), record -> copy.apply(record, version - 1));
            assertEquals(content(lab.image()), content(copy.image(version)), why);
        }

        private static Map<String, List<Object>> content(MetadataImage image) {
            Map<String, List<Object>> content = new LinkedHashMap<>();
            content.put("brokers", List.copyOf(image.brokers()));
            content.put("topics", List.copyOf(image.topics()));
            return content;
        }
    }
}
