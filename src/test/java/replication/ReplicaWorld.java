package replication;

import common.Mutations;
import config.LogConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import records.BatchHeader;
import sim.SimHost;
import sim.SimLife;
import sim.SimRandom;
import sim.SimScheduler;
import storage.ReadBound;
import storage.ReadResult;

/**
 * Three replicas of one partition, a scripted controller, producers and auditors, on one virtual clock: messages are late, lost and doubled, links are cut in one
 * direction, processes and machines die. Throws {@link AssertionError} naming the rule that was broken.
 */
final class ReplicaWorld {
    private static final int NODES = 3;
    private static final int MIN_ISR = 2;
    private static final long MILLI = SimScheduler.MILLI;

    private final long seed;
    private final boolean durable;
    private final SimRandom random;
    private final SimScheduler scheduler;
    private final ScriptedController controller = new ScriptedController(NODES, MIN_ISR);
    private final List<ReplicaNode> nodes = new ArrayList<>();
    private final List<ReplicaProducer> producers = new ArrayList<>();
    private final TreeSet<String> cut = new TreeSet<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    /** Committed batches by base offset: whoever saw one first. */
    private final TreeMap<Long, String> truth = new TreeMap<>();

    private final Map<String, Long> acked = new LinkedHashMap<>();
    private final long[] heldEnds = new long[NODES];
    private double lossRate;
    private double slowRate;

    ReplicaWorld(long seed, Mutations mutations) {
        this.seed = seed;
        this.random = new SimRandom(seed);
        this.scheduler = new SimScheduler(random);
        this.durable = random.chance(0.5);
        Map<String, String> settings = new TreeMap<>();
        settings.put("internal.segment.bytes", random.chance(0.5) ? "2000" : "1000000");
        settings.put("index.interval.bytes", "200");
        settings.put("retention.ms", "-1");
        if (durable) {
            settings.put("flush.messages", "1");
        }
        LogConfig config = LogConfig.of(settings);
        for (int id = 0; id < NODES; id++) {
            nodes.add(new ReplicaNode(id, this, new SimHost(random.split("n" + id), scheduler), config, mutations));
        }
        for (int i = 0; i < 3; i++) {
            producers.add(new ReplicaProducer(this, i, random.split("p" + i)));
        }
    }

    Map<String, Integer> run() {
        nodes.forEach(ReplicaNode::start);
        nodes.forEach(this::audit);
        tick();
        producers.forEach(ReplicaProducer::begin);
        scheduler.runFor(5_000 * MILLI);
        require(controller.leader() >= 0, "L4", "no leader at the start");
        storm();
        heal();
        count("leader-changes", controller.leaderChanges());
        count("isr-refusals", controller.refusals());
        count("acked", acked.size());
        return counts;
    }

    long traceHash() {
        return scheduler.traceHash();
    }

    private void storm() {
        lossRate = random.chance(0.5) ? 0.1 : 0;
        slowRate = random.chance(0.3) ? 0.05 : 0;
        boolean kills = random.chance(0.8);
        boolean power = random.chance(0.6);
        boolean cuts = random.chance(0.7);
        for (int step = 0; step < 120; step++) {
            int what = random.below(100);
            ReplicaNode node = nodes.get(random.below(NODES));
            if (random.chance(0.3) && controller.leader() >= 0) {
                node = nodes.get(controller.leader());
            }
            if (what < 12 && node.alive() && (kills || power)) {
                crash(node, power && (!kills || random.chance(0.5)));
            } else if (what < 14 && power && durable) {
                nodes.stream().filter(ReplicaNode::alive).toList().forEach(each -> crash(each, true));
            } else if (what < 26 && cuts) {
                String end = random.chance(0.5) ? "c" : Integer.toString(random.below(NODES));
                cut.add(random.chance(0.5) ? node.id + ">" + end : end + ">" + node.id);
            } else if (what < 40) {
                cut.clear();
            }
            scheduler.runFor(random.belowLong(800 * MILLI));
        }
    }

    private void crash(ReplicaNode node, boolean power) {
        // What a power cut leaves of a log that was not synced may have holes: healing them from the others (S8) is to
        // come.
        boolean powerCut = power && durable;
        count(powerCut ? "power-cuts" : "kills", 1);
        if (node.log != null) {
            heldEnds[node.id] = powerCut ? node.log.durableEndOffset() : node.log.logEndOffset();
        }
        node.end(powerCut);
        scheduler.after(random.belowLong(6_000 * MILLI), null, "restart", () -> {
            if (!node.alive()) {
                node.start();
            }
        });
    }

    private void heal() {
        cut.clear();
        lossRate = 0;
        slowRate = 0;
        scheduler.runFor(40_000 * MILLI);
        producers.forEach(ReplicaProducer::stop);
        scheduler.runFor(5_000 * MILLI);
        require(
                controller.isr().size() == NODES,
                "L4 full ISR after heal",
                controller.view().toString());
        long end = nodes.get(0).log.logEndOffset();
        for (ReplicaNode each : nodes) {
            require(
                    each.log.logEndOffset() == end && each.log.highWatermark() == end,
                    "L4 all replicas are equal after heal",
                    each.id + " ends at " + each.log.logEndOffset() + ", high watermark " + each.log.highWatermark()
                            + ", the first ends at " + end);
        }
        for (ReplicaProducer each : producers) {
            require(
                    each.ackedAfter(scheduler.now() - 20_000 * MILLI),
                    "L1 acks after heal",
                    "producer " + each.number());
        }
        Map<String, Integer> seen = new TreeMap<>();
        truth.values().forEach(each -> seen.merge(each.substring(each.indexOf(' ') + 1), 1, Integer::sum));
        seen.forEach((batch, times) -> require(times == 1, "P1 no duplicates", batch + ": " + times));
        acked.forEach((batch, offset) -> require(
                batch.equals(text(truth.get(offset))),
                "I6 acked is not lost",
                batch + " at " + offset + ", but there is " + truth.get(offset)));
    }

    private static String text(String entry) {
        return entry == null ? null : entry.substring(entry.indexOf(' ') + 1);
    }

    private void tick() {
        controller.tick(now());
        ScriptedController.View view = controller.view();
        for (ReplicaNode each : nodes) {
            deliver("c", each.host.life(), Integer.toString(each.id), () -> each.apply(view));
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

    void toController(ReplicaNode from, Consumer<ScriptedController> message) {
        deliver(Integer.toString(from.id), null, "c", () -> message.accept(controller));
    }

    void fromController(ReplicaNode to, SimLife life, Runnable message) {
        deliver("c", life, Integer.toString(to.id), message);
    }

    void send(int from, int to, Consumer<ReplicaNode> message) {
        ReplicaNode receiver = nodes.get(to);
        deliver(Integer.toString(from), receiver.host.life(), Integer.toString(to), () -> {
            if (receiver.serves()) {
                message.accept(receiver);
            }
        });
    }

    /** To whom a client believes to have to send: mostly the leader. */
    ReplicaNode target(SimRandom chooser) {
        int leader = controller.leader();
        return nodes.get(leader < 0 || chooser.chance(0.1) ? chooser.below(NODES) : leader);
    }

    boolean leads(ReplicaNode node) {
        return node.id == controller.leader()
                && node.leader != null
                && node.leader.leaderEpoch() == controller.view().state().leaderEpoch();
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

    /** Nothing here is elected uncleanly: committed records are never cut (rule I3). */
    void committedCut(ReplicaNode node, long lost) {
        require(false, "I3 committed records are not cut", lost + " on " + node.id);
    }

    /** A batch was acknowledged. */
    void acked(String batch, long offset) {
        Long before = acked.put(batch, offset);
        require(before == null || before == offset, "I11 one offset", batch + " at " + before + " and " + offset);
        int holders = 0;
        for (ReplicaNode each : nodes) {
            long end = each.serves() ? each.log.logEndOffset() : heldEnds[each.id];
            long safe = each.serves() && durable ? each.log.durableEndOffset() : end;
            holders += safe > offset ? 1 : 0;
        }
        require(holders >= MIN_ISR, "I7 acked is on " + MIN_ISR, batch + " at " + offset + " is on " + holders);
    }

    /** Reads what a node says is committed, again and again, and compares (rule I10). */
    private void audit(ReplicaNode node) {
        new Audit(node).read();
    }

    private final class Audit {
        private final ReplicaNode node;
        private SimLife life;
        private long next;

        Audit(ReplicaNode node) {
            this.node = node;
        }

        void read() {
            scheduler.after(100 * MILLI, null, "audit", this::read);
            if (!node.serves() || node.log == null) {
                return;
            }
            if (life != node.host.life()) {
                life = node.host.life();
                next = 0;
            }
            SimLife of = life;
            if (next >= node.log.highWatermark()) {
                return;
            }
            node.log.read(next, 100_000, true, ReadBound.HIGH_WATERMARK, (result, failure) -> {
                require(failure == null, "I10 committed can be read", String.valueOf(failure));
                if (of == life && of.alive() && result.range() != null) {
                    compare(bytes(result));
                }
            });
        }

        private void compare(ByteBuffer all) {
            for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
                long base = BatchHeader.baseOffset(all, at);
                if (base < next) {
                    continue;
                }
                String entry = BatchHeader.leaderEpoch(all, at) + " "
                        + ReplicaProducer.name(BatchHeader.producerId(all, at), BatchHeader.baseSequence(all, at));
                String known = truth.putIfAbsent(base, entry);
                require(
                        known == null || known.equals(entry),
                        "I10 committed prefixes agree",
                        "offset " + base + " is '" + entry + "' on " + node.id + ", elsewhere '" + known + "'");
                next = BatchHeader.nextOffset(all, at);
            }
        }
    }

    static ByteBuffer bytes(ReadResult result) {
        if (result.range() == null) {
            return ByteBuffer.allocate(0);
        }
        ByteBuffer all = ByteBuffer.allocate(result.range().length());
        try {
            result.range().file().read(all, result.range().position());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        result.range().release();
        return all.flip();
    }
}
