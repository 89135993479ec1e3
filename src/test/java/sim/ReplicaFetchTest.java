package sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Peers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import node.FetchingNode;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import protocol.Connection;
import protocol.ConnectionInfo;
import storage.FileHandle;
import storage.PartitionLog;
import storage.ReadBound;
import storage.ReadResult;

/**
 * Two storage shards that follow one another over wires with real frames: cuts, resets, processes that end, leaders that change. What was committed is in both logs
 * afterwards, and the logs are the same.
 */
class ReplicaFetchTest {
    private static final int SEEDS = 40;
    private static final int PARTITIONS = 4;

    @Test
    void logsAgreeAfterwardsAndHoldAllThatWasCommitted() {
        Map<String, Integer> seen = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            Run run = new Run(seed, seed % 4 == 0 ? Map.of("log.flush.interval.messages", "1") : Map.of());
            run.storm();
            run.heal();
            run.seen.forEach((what, count) -> seen.merge(what, count, Integer::sum));
        }
        for (String each : List.of("committed", "unknown", "kills", "cuts", "leaders", "suspicions")) {
            assertTrue(seen.getOrDefault(each, 0) >= SEEDS / 2, each + ": " + seen);
        }
    }

    @Test
    void anIdlePairCommitsInAboutOneRoundTrip() {
        Run run = new Run(7, Map.of());
        run.scheduler.runFor(5_000 * SimScheduler.MILLI);
        for (int i = 0; i < 50; i++) {
            long before = run.scheduler.now();
            run.produce(i % PARTITIONS);
            while (run.underWay > 0) {
                run.scheduler.runFor(SimScheduler.MILLI / 10);
            }
            long took = run.scheduler.now() - before;
            assertTrue(took < 100 * SimScheduler.MILLI, "commit " + i + " took " + took / 1_000 + " us");
            run.scheduler.runFor(run.random.belowLong(700 * SimScheduler.MILLI));
        }
        assertEquals(50, run.seen.get("committed"));
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 2; seed++) {
            Run first = new Run(seed, Map.of());
            first.storm();
            Run second = new Run(seed, Map.of());
            second.storm();
            assertEquals(first.scheduler.traceHash(), second.scheduler.traceHash(), "seed " + seed);
        }
    }

    @Test
    void consumersInTheRackOfAFollowerAreSentThereAndReadWhatIsCommitted() {
        Run run = new Run(9, Map.of());
        run.scheduler.runFor(5_000 * SimScheduler.MILLI);
        FetchingNode leader = run.machines[1].node;
        FetchingNode follower = run.machines[2].node;
        assertEquals("sent to 2", run.consume(leader, "rack 2", 0), "it has what is wanted: nothing so far");
        assertEquals("", run.consume(leader, "rack 1", 0));
        assertEquals("", run.consume(leader, null, 0));
        run.produce(0);
        run.scheduler.runFor(SimScheduler.MILLI * 2);
        String read = run.consumeLater(follower, "rack 2", 0);
        assertTrue(read.startsWith("v0"), "the wait of a consumer ends when its follower knows of the commit: " + read);
        assertEquals("sent to 2", run.consume(leader, "rack 2", 1));
        assertTrue(run.consume(leader, "rack 1", 0).startsWith("v0"));
        assertEquals("NOT_LEADER", run.consume(follower, null, 0), "one that knows of nothing but leaders");
        assertEquals("OFFSET_NOT_AVAILABLE", run.consume(follower, "rack 2", 7), "the leader may have it (I13)");
        assertEquals("OFFSET_OUT_OF_RANGE", run.consume(leader, "rack 2", 7));
        run.moveLeader(0);
        run.scheduler.runFor(1_000 * SimScheduler.MILLI);
        assertEquals("sent to 1", run.consume(follower, "rack 1", 1));
        assertTrue(run.consume(follower, "rack 2", 0).startsWith("v0"));
    }

    private static final class Run {
        private final long seed;
        private final Map<String, String> settings;
        private final SimRandom random;
        private final SimScheduler scheduler;
        private final SimNetwork network;
        private final Machine[] machines = new Machine[3];
        private final Map<String, String> committed = new LinkedHashMap<>();
        private final Map<String, Integer> seen = new TreeMap<>();
        private final int[] leaders = new int[PARTITIONS];
        private final int[] epochs = new int[PARTITIONS];
        private MetadataImage image = FetchingNode.cluster(PARTITIONS);
        private int produced;
        private int underWay;
        private boolean stormy;

        Run(long seed, Map<String, String> settings) {
            this.seed = seed;
            this.settings = settings;
            this.random = new SimRandom(seed);
            this.scheduler = new SimScheduler(random);
            this.network = new SimNetwork(scheduler, random.split("network"));
            for (int i = 0; i < PARTITIONS; i++) {
                leaders[i] = 1;
                epochs[i] = 1;
            }
            for (int id = 1; id <= 2; id++) {
                machines[id] = new Machine(id, new SimHost(random.split("host" + id), scheduler));
                machines[id].start();
            }
        }

        private void count(String what, int times) {
            seen.merge(what, times, Integer::sum);
        }

        /** One machine and its processes. */
        private final class Machine {
            private final int id;
            private SimHost host;
            private FetchingNode node;
            private SimPeers peers;
            private final List<SimWire> accepted = new ArrayList<>();

            Machine(int id, SimHost host) {
                this.id = id;
                this.host = host;
            }

            void start() {
                peers = new SimPeers(network, host.life(), random.split("peers" + id), "n" + id, Run.this::accept);
                node = new FetchingNode(id, host, peers, network.chunks(), settings);
                while (!node.ready()) {
                    scheduler.runFor(SimScheduler.MILLI);
                }
                image = FetchingNode.registered(image, id);
                publish();
            }

            boolean alive() {
                return node != null;
            }

            void kill() {
                count("kills", 1);
                count("suspicions", node.suspicions());
                node = null;
                host = host.kill();
                peers.died(false);
                for (SimWire each : accepted) {
                    if (each.open()) {
                        each.serverDied(false);
                    }
                }
                accepted.clear();
            }
        }

        private SimWire accept(String from, Peers.Address to, SimWire.ClientEnd client) {
            Machine machine = machines[to.host().charAt(1) - '0'];
            if (!machine.alive() || !machine.node.ready()) {
                return null;
            }
            SimWire wire = new SimWire(
                    network, new SimWire.Ends(from, to.host()), machine.host.life(), random.split("wire"), client);
            ConnectionInfo info = new ConnectionInfo("c", "PLAINTEXT", to.host(), 9092, from, 1);
            FetchingNode node = machine.node;
            wire.accept(transport -> new Connection(info, transport, node.instance()));
            if (stormy && random.chance(0.3)) {
                wire.killAfter(random.below(20_000), random.below(20_000));
            }
            machine.accepted.add(wire);
            return wire;
        }

        /** The nodes learn of it one after the other. */
        private void publish() {
            MetadataImage told = image;
            for (Machine each : machines) {
                if (each != null && each.alive()) {
                    FetchingNode node = each.node;
                    SimLife life = each.host.life();
                    scheduler.after(1 + random.belowLong(30 * SimScheduler.MILLI), life, "metadata", () -> {
                        if (image == told || told.version() > applied.getOrDefault(node, -1L)) {
                            applied.put(node, told.version());
                            node.apply(told);
                        }
                    });
                }
            }
        }

        private final Map<FetchingNode, Long> applied = new LinkedHashMap<>();

        private void moveLeader(int partition) {
            int to = 3 - leaders[partition];
            if (machines[to].alive()) {
                count("leaders", 1);
                leaders[partition] = to;
                image = FetchingNode.leader(image, partition, to, ++epochs[partition]);
                publish();
            }
        }

        void produce(int partition) {
            Machine machine = machines[leaders[partition]];
            if (!machine.alive() || machine.node.log(partition) == null) {
                return;
            }
            String value = "v" + produced++ + "x".repeat(random.below(300));
            ByteBuffer batch = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(value.getBytes(UTF_8)))
                    .buffer()
                    .duplicate();
            underWay++;
            machine.node.produce(
                    partition, ByteBuffer.allocate(batch.remaining()).put(batch).flip(), (offset, none) -> {
                        underWay--;
                        count(offset >= 0 ? "committed" : "unknown", 1);
                        if (offset >= 0) {
                            committed.put(partition + "@" + offset, value);
                        }
                    });
        }

        /** What a consumer is answered at once. */
        String consume(FetchingNode node, String rack, long offset) {
            List<String> answers = new ArrayList<>();
            node.consume(0, rack, offset, 0, answers::add);
            while (answers.isEmpty()) {
                scheduler.runFor(SimScheduler.MILLI);
            }
            return answers.get(0);
        }

        /** What it is answered when it waits for the next committed record. */
        String consumeLater(FetchingNode node, String rack, long offset) {
            List<String> answers = new ArrayList<>();
            node.consume(0, rack, offset, 500, answers::add);
            scheduler.runFor(100 * SimScheduler.MILLI);
            return answers.isEmpty() ? "no answer" : answers.get(0);
        }

        void storm() {
            stormy = true;
            for (int step = 0; step < 250; step++) {
                int what = random.below(100);
                int node = 1 + random.below(2);
                if (what < 60) {
                    produce(random.below(PARTITIONS));
                } else if (what < 64) {
                    moveLeader(random.below(PARTITIONS));
                } else if (what < 67) {
                    if (machines[1].alive() && machines[2].alive()) {
                        machines[node].kill();
                    }
                } else if (what < 76) {
                    for (int id = 1; id <= 2; id++) {
                        if (!machines[id].alive()) {
                            machines[id].start();
                        }
                    }
                } else if (what < 80) {
                    count("cuts", 1);
                    network.path("n" + node, "n" + (3 - node)).cut();
                } else if (what < 90) {
                    network.heal();
                }
                scheduler.runFor(random.belowLong((random.chance(0.1) ? 3_000 : 60) * SimScheduler.MILLI));
            }
        }

        void heal() {
            stormy = false;
            network.heal();
            for (int id = 1; id <= 2; id++) {
                if (!machines[id].alive()) {
                    machines[id].start();
                }
            }
            scheduler.runFor(20_000 * SimScheduler.MILLI);
            for (int i = 0; i < PARTITIONS; i++) {
                produce(i);
            }
            scheduler.runFor(5_000 * SimScheduler.MILLI);
            for (int i = 0; i < PARTITIONS; i++) {
                String where = "seed " + seed + ", partition " + i;
                PartitionLog one = machines[1].node.log(i);
                PartitionLog two = machines[2].node.log(i);
                assertNotNull(one, where);
                assertEquals(one.logEndOffset(), two.logEndOffset(), where);
                assertEquals(one.logEndOffset(), one.highWatermark(), where + ": committed at 1");
                assertEquals(two.logEndOffset(), two.highWatermark(), where + ": committed at 2");
                String values = values(one);
                assertEquals(values, values(two), where);
                for (Map.Entry<String, String> each : committed.entrySet()) {
                    if (each.getKey().startsWith(i + "@")) {
                        assertTrue(
                                values.contains(each.getKey() + "=" + each.getValue() + ";"),
                                where + ": " + each.getKey());
                    }
                }
            }
        }

        private String values(PartitionLog log) {
            StringBuilder all = new StringBuilder();
            long offset = log.logStartOffset();
            while (offset < log.logEndOffset()) {
                List<ReadResult> read = new ArrayList<>();
                log.read(offset, 1 << 20, true, ReadBound.LOG_END, (result, failure) -> read.add(result));
                while (read.isEmpty()) {
                    scheduler.runFor(SimScheduler.MILLI);
                }
                FileHandle file = read.get(0).range().file();
                ByteBuffer bytes = ByteBuffer.allocate(read.get(0).range().length());
                try {
                    file.read(bytes, read.get(0).range().position());
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
                read.get(0).range().release();
                for (org.apache.kafka.common.record.internal.Record each :
                        MemoryRecords.readableRecords(bytes.flip()).records()) {
                    byte[] value = new byte[each.valueSize()];
                    each.value().get(value);
                    all.append(log.identity().partition())
                            .append('@')
                            .append(each.offset())
                            .append('=')
                            .append(new String(value, UTF_8))
                            .append(';');
                    offset = each.offset() + 1;
                }
            }
            return all.toString();
        }
    }
}
