package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.FailureCode;
import common.Peers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;
import protocol.ApiHandler;
import protocol.ApiVersionsHandler;
import protocol.Connection;
import protocol.ConnectionInfo;
import protocol.ConnectionLimits;
import protocol.HandlerTable;
import protocol.Instance;
import protocol.PeerConnections;
import protocol.RequestContext;
import protocol.RequestMemory;

/** Lines between nodes over a network that fails: each request has one outcome, each answer is its own, and all works again after heal. */
class SimPeersTest {
    private static final int SEEDS = 60;
    private static final Peers.Address TO = new Peers.Address("n1", 9093);

    @Test
    void everyRequestHasOneOutcomeAndItsOwnAnswer() {
        Map<String, Integer> seen = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            Run run = new Run(seed);
            run.storm();
            run.heal();
            run.codes.forEach((code, count) -> seen.merge(code, count, Integer::sum));
        }
        for (FailureCode code : List.of(
                FailureCode.PEER_REFUSED, FailureCode.PEER_UNREACHABLE, FailureCode.PEER_LOST, FailureCode.TIMED_OUT)) {
            assertTrue(seen.containsKey(code.toString()), code + " never came up: " + seen);
        }
        assertTrue(seen.get("answer") > 20 * SEEDS, seen.toString());
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 3; seed++) {
            Run first = new Run(seed);
            first.storm();
            Run second = new Run(seed);
            second.storm();
            assertEquals(first.scheduler.traceHash(), second.scheduler.traceHash(), "seed " + seed);
        }
    }

    /** One node asks, another answers at once or late, and dies now and then. */
    private static final class Run implements ApiHandler {
        private final long seed;
        private final SimRandom random;
        private final SimScheduler scheduler;
        private final SimNetwork network;
        private final SimClock clock;
        private final SimLife asking = new SimLife("n0");
        private final Peers.Peer line;
        private final Map<Integer, Integer> outcomes = new LinkedHashMap<>();
        private final Map<String, Integer> codes = new TreeMap<>();
        private SimLife answering;
        private SimWire wire;
        private Instance instance;
        private int sent;
        private boolean stormy = true;

        Run(long seed) {
            this.seed = seed;
            this.random = new SimRandom(seed);
            this.scheduler = new SimScheduler(random);
            this.network = new SimNetwork(scheduler, random.split("network"));
            this.clock = new SimClock(scheduler);
            PeerConnections peers = new PeerConnections(
                    new SimPeers(network, asking, random.split("peers"), "n0", this::accept),
                    network.chunks(),
                    new SimTimers(scheduler, clock, asking, random.split("timers"), 1_000_000),
                    "node-0");
            this.line = peers.line(TO);
        }

        private SimWire accept(String from, Peers.Address to, SimWire.ClientEnd client) {
            if (answering == null || !answering.alive()) {
                return null;
            }
            wire = new SimWire(network, new SimWire.Ends(from, "n1"), answering, random.split("wire"), client);
            ConnectionInfo info = new ConnectionInfo("c", "CONTROLLER", "n1", 9093, from, 1);
            wire.accept(transport -> new Connection(info, transport, instance));
            if (stormy && random.chance(0.3)) {
                wire.killAfter(random.below(2_000), random.below(2_000));
            }
            return wire;
        }

        private void start() {
            answering = new SimLife("n1", answering);
            instance = new Instance(
                    new HandlerTable(List.of(this, new ApiVersionsHandler(1))),
                    network.chunks(),
                    new RequestMemory(1 << 20),
                    new ConnectionLimits(1 << 20, 100, 600_000, 600_000, 600_000),
                    clock,
                    new NoMetrics(),
                    () -> MetadataImage.empty("c"));
        }

        private void end() {
            answering.end();
            if (wire != null && wire.open()) {
                wire.serverDied(random.chance(0.3));
            }
        }

        @Override
        public ApiKeys key() {
            return ApiKeys.HEARTBEAT;
        }

        @Override
        public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
            HeartbeatResponseData answer =
                    new HeartbeatResponseData().setThrottleTimeMs(((HeartbeatRequestData) request).generationId());
            if (random.chance(0.5)) {
                respond.succeed(answer);
            } else {
                long late = random.belowLong((stormy ? 3_000 : 100) * SimScheduler.MILLI);
                scheduler.after(late, answering, "answer", () -> respond.succeed(answer));
            }
        }

        private void ask(int timeoutMillis) {
            int number = sent++;
            HeartbeatRequestData request = new HeartbeatRequestData()
                    .setGroupId("g")
                    .setMemberId("m".repeat(1 + random.below(300)))
                    .setGenerationId(number);
            line.send(request, timeoutMillis, (answer, failure) -> {
                outcomes.merge(number, 1, Integer::sum);
                codes.merge(failure == null ? "answer" : failure.code().toString(), 1, Integer::sum);
                if (failure == null) {
                    assertEquals(
                            number,
                            ((HeartbeatResponseData) answer.message()).throttleTimeMs(),
                            "seed " + seed + ": the answer of another request");
                }
            });
        }

        void storm() {
            for (int step = 0; step < 300; step++) {
                int what = random.below(100);
                if (what < 60) {
                    ask(1 + random.below(random.chance(0.5) ? 2_000 : 20_000));
                } else if (what < 70 && (answering == null || !answering.alive())) {
                    start();
                } else if (what < 73 && answering != null && answering.alive()) {
                    end();
                } else if (what < 75) {
                    network.path("n0", "n1").cut();
                } else if (what < 77) {
                    network.path("n1", "n0").cut();
                } else if (what < 84) {
                    network.heal();
                }
                scheduler.runFor(random.belowLong(200 * SimScheduler.MILLI));
            }
        }

        void heal() {
            stormy = false;
            network.heal();
            if (answering == null || !answering.alive()) {
                start();
            }
            scheduler.runFor(60_000 * SimScheduler.MILLI);
            assertEquals(sent, outcomes.size(), "seed " + seed + ": requests without an outcome");
            outcomes.forEach((number, times) -> assertEquals(1, times, "seed " + seed + ": outcomes of " + number));
            int before = codes.getOrDefault("answer", 0);
            for (int i = 0; i < 20; i++) {
                ask(10_000);
            }
            scheduler.runFor(20_000 * SimScheduler.MILLI);
            assertEquals(before + 20, codes.getOrDefault("answer", 0), "seed " + seed + ": after heal, " + codes);
            line.close();
            if (wire.open()) {
                scheduler.runFor(1_000 * SimScheduler.MILLI);
            }
        }
    }
}
