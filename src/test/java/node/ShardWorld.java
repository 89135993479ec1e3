package node;

import common.Mutations;
import common.PartitionId;
import config.BrokerConfig;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import records.BatchHeader;
import replication.ReplicaShard.DeleteQuery;
import sim.SimHost;
import sim.SimLife;
import sim.SimRandom;
import sim.SimScheduler;
import storage.PartitionLog;
import storage.ReadBound;

/**
 * Three brokers' storage shards with a few partitions, the real controller machine, producers and auditors, on one virtual clock: messages are late, lost and
 * doubled, links are cut in one direction, processes and machines die, replicas move. Throws {@link AssertionError} naming the rule that was broken.
 */
final class ShardWorld {
    static final String TOPIC = "orders";
    private static final String FIRST_SEGMENT = TOPIC + "-0/00000000000000000000.log";
    private static final int NODES = 3;
    private static final int MIN_ISR = 2;
    private static final long MILLI = SimScheduler.MILLI;

    private final long seed;
    private final boolean durable;
    private final SimRandom random;
    private final SimScheduler scheduler;
    private final ShardController controller;
    private final TopicImage topic;
    private final List<ShardNode> nodes = new ArrayList<>();
    private final List<ShardProducer> producers = new ArrayList<>();
    private final TreeSet<String> cut = new TreeSet<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    /** Committed batches by partition and base offset: whoever saw one first. */
    private final List<TreeMap<Long, String>> truth = new ArrayList<>();

    private final List<Map<String, Long>> acked = new ArrayList<>();
    private final List<Audit> audits = new ArrayList<>();
    private double lossRate;
    private double slowRate;

    ShardWorld(long seed, Mutations mutations) {
        this.seed = seed;
        this.random = new SimRandom(seed);
        this.scheduler = new SimScheduler(random);
        this.durable = random.chance(0.5);
        Map<String, String> properties = new TreeMap<>();
        properties.put("replica.lag.time.max.ms", "2000");
        properties.put("min.insync.replicas", Integer.toString(MIN_ISR));
        BrokerConfig config = BrokerConfig.parse(properties).config();
        controller = new ShardController("4L6g3nShT-eMCtK--X86sw", config, random.split("controller"));
        for (int id = 0; id < NODES; id++) {
            nodes.add(new ShardNode(id, this, new SimHost(random.split("n" + id), scheduler), config, mutations));
        }
        nodes.forEach(ShardNode::start);
        tick();
        scheduler.runFor(3_000 * MILLI);
        List<CreatableTopicConfig> settings = new ArrayList<>();
        settings.add(setting("internal.segment.bytes", random.chance(0.5) ? "2000" : "1000000"));
        settings.add(setting("index.interval.bytes", "200"));
        settings.add(setting("retention.ms", "-1"));
        if (durable) {
            settings.add(setting("flush.messages", "1"));
        }
        topic = controller.create(TOPIC, List.of(List.of(0, 1, 2), List.of(1, 2, 0), List.of(2, 0, 1)), settings);
        for (PartitionImage each : topic.partitions()) {
            truth.add(new TreeMap<>());
            acked.add(new LinkedHashMap<>());
            for (int i = 0; i < 2; i++) {
                int number = producers.size();
                producers.add(new ShardProducer(this, number, each.partition(), random.split("p" + number)));
            }
        }
    }

    private static CreatableTopicConfig setting(String key, String value) {
        return new CreatableTopicConfig().setName(key).setValue(value);
    }

    Map<String, Integer> run() {
        nodes.forEach(each -> topic.partitions().forEach(partition -> audit(each, partition.partition())));
        producers.forEach(ShardProducer::begin);
        scheduler.runFor(3_000 * MILLI);
        storm();
        heal();
        acked.forEach(each -> count("acked", each.size()));
        return counts;
    }

    long traceHash() {
        return scheduler.traceHash();
    }

    boolean durable() {
        return durable;
    }

    // ---- faults

    private void storm() {
        lossRate = random.chance(0.5) ? 0.1 : 0;
        slowRate = random.chance(0.3) ? 0.05 : 0;
        boolean kills = random.chance(0.8);
        boolean power = random.chance(0.6);
        boolean cuts = random.chance(0.7);
        boolean moves = random.chance(0.7);
        for (int step = 0; step < 80; step++) {
            int what = random.below(100);
            ShardNode node = nodes.get(random.below(NODES));
            if (what < 10 && node.alive() && (kills || power)) {
                crash(node, power && (!kills || random.chance(0.5)));
            } else if (what < 12 && power && durable) {
                nodes.stream().filter(ShardNode::alive).toList().forEach(each -> crash(each, true));
            } else if (what < 22 && cuts) {
                String end = random.chance(0.5) ? "c" : Integer.toString(random.below(NODES));
                cut.add(random.chance(0.5) ? node.id + ">" + end : end + ">" + node.id);
            } else if (what < 36) {
                cut.clear();
            } else if (what < 44 && moves) {
                move();
            } else if (what < 50) {
                controller.electPreferred();
            } else if (what < 56) {
                deleteRecords();
            }
            scheduler.runFor(random.belowLong(800 * MILLI));
        }
    }

    /** Other replicas for a partition, at least two. */
    private void move() {
        List<Integer> targets = new ArrayList<>(List.of(0, 1, 2));
        for (int i = targets.size() - 1; i > 0; i--) {
            targets.add(targets.remove(random.below(i + 1)));
        }
        count("moves", 1);
        int partition = random.below(topic.partitions().size());
        controller.reassign(TOPIC, partition, random.chance(0.6) ? targets.subList(0, 2) : targets);
    }

    /** What was audited of a partition, at its leader; who is away then is behind the log's start later. */
    private void deleteRecords() {
        Audit audit = audits.get(random.below(audits.size()));
        if (audit.node.serves() && leads(audit.node, audit.partition) && audit.next > 0) {
            count("deletions", 1);
            audit.node.shard.deleteRecords(
                    List.of(new DeleteQuery(id(audit.partition), Math.max(0, audit.next - random.below(3)))),
                    (outcomes, none) -> {});
        }
    }

    private void crash(ShardNode node, boolean power) {
        // Without syncs the loss of more than one node's power at a time may cost what was acknowledged (rule I7).
        boolean powerCut = power && (durable || (nodes.stream().allMatch(ShardNode::serves) && isWhole()));
        count(powerCut ? "power-cuts" : "kills", 1);
        node.end(powerCut);
        scheduler.after(random.belowLong(6_000 * MILLI), null, "restart", () -> {
            if (!node.alive()) {
                node.start();
            }
        });
    }

    private boolean isWhole() {
        return controller.isWhole(topic);
    }

    /** A node comes back with an empty disk; where its replicas begin anew is told only after its shard has seen the metadata (KIP-858). */
    void wipe() {
        producers.forEach(ShardProducer::begin);
        scheduler.runFor(5_000 * MILLI);
        ShardNode wiped = nodes.get(random.below(NODES));
        wiped.end(false);
        wiped.wipe(new SimHost(random.split("fresh"), scheduler));
        wiped.start();
        scheduler.runFor(8_000 * MILLI);
        AssignReplicasToDirsRequestData.TopicData replicas =
                new AssignReplicasToDirsRequestData.TopicData().setTopicId(topic.id());
        topic.partitions()
                .forEach(each -> replicas.partitions()
                        .add(new AssignReplicasToDirsRequestData.PartitionData().setPartitionIndex(each.partition())));
        controller.assign(new AssignReplicasToDirsRequestData()
                .setBrokerId(wiped.id)
                .setBrokerEpoch(wiped.brokerEpoch)
                .setDirectories(List.of(new AssignReplicasToDirsRequestData.DirectoryData()
                        .setId(wiped.directoryId())
                        .setTopics(List.of(replicas)))));
        scheduler.runFor(20_000 * MILLI);
        require(
                isWhole(),
                "L4 full ISR after a wiped disk",
                controller.image().topic(TOPIC).toString());
        for (PartitionImage each : controller.image().topic(TOPIC).partitions()) {
            require(wiped.log(id(each.partition())) != null, "S13 begins anew", each.toString());
        }
    }

    /** Counts when a log is damaged: healing may take only moments. */
    private void watchDamage() {
        scheduler.after(MILLI, null, "watch", this::watchDamage);
        for (ShardNode each : nodes) {
            PartitionLog log = each.serves() ? each.log(id(0)) : null;
            if (log != null && log.damage() != null) {
                count("damage-seen", 1);
            }
        }
    }

    /** Rule S8: what a leader has rots while it serves. Another one must lead, and the rotten replica be fetched anew and come back. */
    Map<String, Integer> rotInALeader() {
        nodes.forEach(each -> topic.partitions().forEach(partition -> audit(each, partition.partition())));
        producers.forEach(ShardProducer::begin);
        scheduler.runFor(5_000 * MILLI);
        int leader = controller.image().topic(TOPIC).partitions().get(0).leader();
        watchDamage();
        nodes.get(leader).host.disk().rot(FIRST_SEGMENT, random.below(500), random.below(8));
        scheduler.runFor(40_000 * MILLI);
        heal();
        return counts;
    }

    /** Rule S8: the records of a follower rot while it is down. It must leave the ISR, be fetched anew and come back; whoever leads meanwhile has everything. */
    Map<String, Integer> rot() {
        nodes.forEach(each -> topic.partitions().forEach(partition -> audit(each, partition.partition())));
        producers.forEach(ShardProducer::begin);
        scheduler.runFor(5_000 * MILLI);
        PartitionImage partition = controller.image().topic(TOPIC).partitions().get(0);
        List<Integer> followers = new ArrayList<>(partition.replicas());
        followers.remove((Integer) partition.leader());
        ShardNode rotten = nodes.get(followers.get(random.below(2)));
        rotten.end(false);
        watchDamage();
        rotten.rot(FIRST_SEGMENT, random.below(500), random.below(8));
        rotten.start();
        watchDamage(rotten);
        scheduler.runFor(random.belowLong(3_000 * MILLI));
        if (random.chance(0.5)) {
            crash(nodes.get(controller.image().topic(TOPIC).partitions().get(0).leader()), false);
        }
        heal();
        acked.forEach(each -> count("acked", each.size()));
        return counts;
    }

    /** Rule C4: all lose their power at once, with what they had not synced. Whoever has the most leads, and the others follow. */
    Map<String, Integer> powerCutOfAll() {
        producers.forEach(ShardProducer::begin);
        scheduler.runFor(5_000 * MILLI);
        producers.forEach(ShardProducer::stop);
        scheduler.runFor(random.belowLong(3_000 * MILLI));
        for (ShardNode each : nodes) {
            each.end(true);
            scheduler.after(random.belowLong(6_000 * MILLI), null, "restart", each::start);
        }
        for (int i = 0; i < 200; i++) {
            scheduler.runFor(100 * MILLI);
            for (PartitionImage each : controller.image().topic(TOPIC).partitions()) {
                count(each.waitsForRecovery() ? "waited" : "did-not-wait", 1);
            }
        }
        scheduler.runFor(10_000 * MILLI);
        boolean holes = false;
        for (PartitionImage each : controller.image().topic(TOPIC).partitions()) {
            require(each.leader() >= 0, "C4 all are led again", each.toString());
            // What lies behind a hole in the leader's log cannot be copied (S8).
            boolean copied = nodes.get(each.leader()).log(id(each.partition())).damage() == null;
            holes |= !copied;
            if (copied) {
                require(each.isr().size() == NODES, "C4 all follow again", each.toString());
                same(each);
            }
        }
        count(holes ? "holes" : "no-holes", 1);
        return counts;
    }

    /** It heals soon, so it is looked at often. */
    private void watchDamage(ShardNode node) {
        PartitionLog log = node.serves() ? node.log(id(0)) : null;
        if (log != null && log.damage() != null) {
            count("damage-seen", 1);
        }
        scheduler.after(5 * MILLI, null, "damage", () -> watchDamage(node));
    }

    private void heal() {
        cut.clear();
        lossRate = 0;
        slowRate = 0;
        scheduler.runFor(30_000 * MILLI);
        controller.electPreferred();
        scheduler.runFor(10_000 * MILLI);
        producers.forEach(ShardProducer::stop);
        scheduler.runFor(5_000 * MILLI);
        require(
                isWhole(),
                "L4 full ISR after heal",
                controller.image().topic(TOPIC).toString());
        for (PartitionImage each : controller.image().topic(TOPIC).partitions()) {
            same(each);
            truthHolds(each.partition());
        }
        for (ShardProducer each : producers) {
            require(
                    each.ackedAfter(scheduler.now() - 20_000 * MILLI),
                    "L1 acks after heal",
                    "producer " + each.number() + ": " + controller.image().topic(TOPIC));
        }
    }

    /** All replicas are equal, others are gone. */
    private void same(PartitionImage partition) {
        PartitionId id = id(partition.partition());
        long end = nodes.get(partition.leader()).log(id).logEndOffset();
        for (ShardNode each : nodes) {
            PartitionLog log = each.log(id);
            boolean replica = partition.replicas().contains(each.id);
            require(replica == (log != null), "I14 replicas are where they should be", partition + " on " + each.id);
            if (replica) {
                require(
                        log.logEndOffset() == end && log.highWatermark() == end && log.damage() == null,
                        "L4 all replicas are equal after heal",
                        partition + ": " + each.id + " ends at " + log.logEndOffset() + ", high watermark "
                                + log.highWatermark() + ", the leader ends at " + end + ", damage: " + log.damage());
            }
        }
    }

    private void truthHolds(int partition) {
        Map<String, Integer> seen = new TreeMap<>();
        truth.get(partition)
                .values()
                .forEach(each -> seen.merge(each.substring(each.indexOf(' ') + 1), 1, Integer::sum));
        seen.forEach((batch, times) -> require(times == 1, "P1 no duplicates", batch + ": " + times));
        acked.get(partition).forEach((batch, offset) -> {
            String there = truth.get(partition).get(offset);
            require(
                    there != null && batch.equals(there.substring(there.indexOf(' ') + 1)),
                    "I6 acked is not lost",
                    batch + " at " + offset + " of " + partition + ", but there is " + there);
        });
    }

    private void tick() {
        controller.tick(now());
        var image = controller.image();
        for (ShardNode each : nodes) {
            deliver("c", each.host.life(), Integer.toString(each.id), () -> each.apply(image));
        }
        scheduler.after(50 * MILLI, null, "controller", this::tick);
    }

    // ---- messages

    long now() {
        return scheduler.now();
    }

    void after(SimLife life, long nanos, Runnable task) {
        scheduler.after(nanos, life, "task", task);
    }

    private void deliver(String from, SimLife life, String to, Runnable message) {
        int copies = random.chance(lossRate) ? 0 : random.chance(lossRate) ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            long late =
                    random.chance(slowRate) ? random.belowLong(4_000 * MILLI) : 100_000 + random.belowLong(3 * MILLI);
            scheduler.after(late, life, "message", () -> {
                if (!cut.contains(from + ">" + to)) {
                    message.run();
                }
            });
        }
    }

    void toController(int from, Consumer<ShardController> message) {
        deliver(Integer.toString(from), null, "c", () -> message.accept(controller));
    }

    void fromController(ShardNode to, SimLife life, Runnable message) {
        deliver("c", life, Integer.toString(to.id), message);
    }

    void send(int from, int to, Consumer<ShardNode> message) {
        ShardNode receiver = nodes.get(to);
        deliver(Integer.toString(from), receiver.host.life(), Integer.toString(to), () -> {
            if (receiver.serves()) {
                message.accept(receiver);
            }
        });
    }

    /** To whom a client believes to have to send: mostly the leader. */
    int target(int partition, SimRandom chooser) {
        int leader = controller.image().topic(TOPIC).partitions().get(partition).leader();
        return leader < 0 || chooser.chance(0.1) ? chooser.below(NODES) : leader;
    }

    boolean leads(ShardNode node, int partition) {
        PartitionImage state = controller.image().topic(TOPIC).partitions().get(partition);
        var leader = node.table == null ? null : node.table.get(id(partition));
        return node.id == state.leader() && leader != null && leader.leaderEpoch() == state.leaderEpoch();
    }

    PartitionId id(int partition) {
        return new PartitionId(topic.id(), partition);
    }

    // ---- judges

    void count(String what) {
        count(what, 1);
    }

    private void count(String what, int times) {
        counts.merge(what, times, Integer::sum);
    }

    void require(boolean holds, String rule, String values) {
        if (!holds) {
            throw new AssertionError("seed " + seed + (durable ? " (durable)" : " (memory)") + " at "
                    + scheduler.now() / MILLI + " ms: " + rule + ": " + values);
        }
    }

    /** A batch was acknowledged. */
    void acked(int partition, String batch, long offset) {
        Long before = acked.get(partition).put(batch, offset);
        require(before == null || before == offset, "I11 one offset", batch + " at " + before + " and " + offset);
    }

    /** Reads what a node says is committed, again and again, and compares (rule I10). */
    private void audit(ShardNode node, int partition) {
        Audit audit = new Audit(node, partition);
        audits.add(audit);
        audit.read();
    }

    private final class Audit {
        private final ShardNode node;
        private final int partition;
        private PartitionLog of;
        private long next;

        Audit(ShardNode node, int partition) {
            this.node = node;
            this.partition = partition;
        }

        void read() {
            scheduler.after(100 * MILLI, null, "audit", this::read);
            PartitionLog log = node.serves() ? node.log(id(partition)) : null;
            if (log == null) {
                return;
            }
            if (log.damage() != null) {
                return;
            }
            if (log != of) {
                of = log;
                next = 0;
            }
            next = Math.max(next, log.logStartOffset());
            if (next >= log.highWatermark()) {
                return;
            }
            SimLife life = node.host.life();
            log.read(next, 100_000, true, ReadBound.HIGH_WATERMARK, (result, failure) -> {
                if (failure == null && life.alive() && result.range() != null) {
                    compare(ShardNode.bytes(result));
                }
            });
        }

        private void compare(ByteBuffer all) {
            for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
                long base = BatchHeader.baseOffset(all, at);
                if (base < next) {
                    // The log starts within it.
                    next = Math.max(next, BatchHeader.nextOffset(all, at));
                    continue;
                }
                String entry = BatchHeader.leaderEpoch(all, at) + " "
                        + ShardProducer.name(BatchHeader.producerId(all, at), BatchHeader.baseSequence(all, at));
                String known = truth.get(partition).putIfAbsent(base, entry);
                require(
                        known == null || known.equals(entry),
                        "I10 committed prefixes agree",
                        "offset " + base + " of " + partition + " is '" + entry + "' on " + node.id + ", elsewhere '"
                                + known + "'");
                next = BatchHeader.nextOffset(all, at);
            }
        }
    }
}
