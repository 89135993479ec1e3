package node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import common.Callback;
import common.FailureCode;
import controller.MetadataQuorum;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import metadata.ImageRecords;
import metadata.MetadataImage;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.message.BeginQuorumEpochRequestData;
import org.apache.kafka.common.message.EndQuorumEpochRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchSnapshotRequestData;
import org.apache.kafka.common.message.RemoveRaftVoterRequestData;
import org.apache.kafka.common.message.UpdateRaftVoterRequestData;
import org.apache.kafka.common.message.VoteRequestData;
import org.apache.kafka.common.protocol.ApiMessage;
import raft.Endpoint;
import raft.RaftOutput;
import raft.RaftResponse;
import raft.RaftTimeouts;
import raft.ReplicaKey;
import raft.VoterSet;
import sim.SimCrash;
import sim.SimHost;
import sim.SimRandom;
import sim.SimScheduler;

/** Several controllers on simulated disks in one virtual time, which reach each other by Kafka's messages. What is published anywhere is compared by version. */
final class QuorumLab {
    static final RaftTimeouts TIMEOUTS = new RaftTimeouts(1_000, 1_000, 1_000, 2_000, 20);
    private static final String LISTENER = "CONTROLLER";

    final SimScheduler scheduler;
    final Map<Integer, Machine> machines = new TreeMap<>();
    private final SimRandom random;
    private final Set<Integer> cut = new LinkedHashSet<>();
    private final Map<Long, String> images = new TreeMap<>();
    private final int voters;
    private final String[] settings;

    /** A node: its disk, and its process while there is one. */
    /** Whoever is no voter asks to be one. */
    QuorumPlace.Joins joins = QuorumPlace.Joins.NEVER;

    final class Machine {
        final int id;
        private int disk;
        SimHost host;
        ControllerLab lab;
        /** What waits for an answer of this process. */
        private final List<Runnable> asked = new ArrayList<>();

        private int seen;

        Machine(int id) {
            this.id = id;
            this.host = new SimHost(random.split("machine" + id), scheduler);
        }

        boolean isUp() {
            return lab != null && lab.host == host && host.life().alive();
        }

        ControllerNode controller() {
            return lab.controller;
        }

        boolean isActive() {
            return isUp() && controller() != null && controller().active().local();
        }

        /** A process that opens its log and takes part. */
        void start() {
            if (!host.life().alive()) {
                host = random.chance(0.5) ? host.kill() : host.powerCut();
            }
            ControllerLab before = lab;
            lab = before == null ? new ControllerLab(host, config(id)) : before.on(host);
            lab.disk = disk;
            lab.place = self -> new QuorumPlace(
                    self, LISTENER, endpoints(id), staticVoters(), bootstrap(), TIMEOUTS, new Lines(id, host), joins);
            seen = 0;
            try {
                lab.openReplica();
            } catch (SimCrash crash) {
                // By a fault of the disk.
            }
        }

        void kill() {
            host = host.kill();
            // Its sockets are closed.
            List<Runnable> lost = new ArrayList<>(asked);
            asked.clear();
            lost.forEach(Runnable::run);
        }

        void powerCut() {
            host = host.powerCut();
        }

        /** Its disk is replaced by an empty one. */
        void wipe() {
            kill();
            disk++;
            host = new SimHost(random.split("machine" + id + "-" + disk), scheduler);
            lab = null;
        }

        void stop() {
            lab.stop();
            kill();
        }

        private void compare() {
            while (isUp() && seen < lab.published.size()) {
                MetadataImage image = lab.published.get(seen++);
                String known = images.putIfAbsent(image.version(), content(image));
                assertEquals(known == null ? content(image) : known, content(image), "R11 at " + image.version());
            }
        }
    }

    static String content(MetadataImage image) {
        StringBuilder text = new StringBuilder();
        ImageRecords.write(image, record -> text.append(record));
        return text.toString();
    }

    /** @param observers with ids above those of the voters */
    QuorumLab(long seed, int voters, int observers, String... settings) {
        this.random = new SimRandom(seed);
        this.scheduler = new SimScheduler(random);
        this.voters = voters;
        this.settings = settings;
        for (int id = 1; id <= voters + observers; id++) {
            machines.put(id, new Machine(id));
        }
    }

    private config.BrokerConfig config(int id) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.addAll(List.of("node.id", String.valueOf(id)));
        return ControllerLab.config(all.toArray(new String[0]));
    }

    static List<Endpoint> endpoints(int id) {
        return List.of(new Endpoint(LISTENER, "machine" + id, id));
    }

    private VoterSet staticVoters() {
        List<VoterSet.Voter> all = new ArrayList<>();
        for (int id = 1; id <= voters; id++) {
            all.add(new VoterSet.Voter(ReplicaKey.of(id), endpoints(id)));
        }
        return new VoterSet(all);
    }

    private List<Endpoint> bootstrap() {
        List<Endpoint> all = new ArrayList<>();
        for (int id = 1; id <= voters; id++) {
            all.addAll(endpoints(id));
        }
        return all;
    }

    void startAll() {
        machines.values().forEach(Machine::start);
    }

    Machine machine(int id) {
        return machines.get(id);
    }

    void runFor(long millis) {
        for (long i = 0; i < millis; i += 10) {
            scheduler.runFor(10 * SimScheduler.MILLI);
            machines.values().forEach(Machine::compare);
        }
    }

    /** Until it is true; at most a minute. */
    void await(String what, java.util.function.BooleanSupplier condition) {
        for (int i = 0; i < 6_000 && !condition.getAsBoolean(); i++) {
            runFor(10);
        }
        assertEquals(true, condition.getAsBoolean(), () -> what + " never comes: " + this);
    }

    Machine awaitActive() {
        await("an active controller", () -> active() != null);
        return active();
    }

    /** Null when there is none; of the highest epoch. */
    Machine active() {
        Machine found = null;
        for (Machine each : machines.values()) {
            boolean later = each.isActive()
                    && (found == null
                            || each.controller().active().epoch()
                                    > found.controller().active().epoch());
            found = later ? each : found;
        }
        return found;
    }

    /** All who are up have the same image, of what the active controller has committed. */
    void awaitSame() {
        await("one image everywhere", () -> {
            Machine active = active();
            return active != null
                    && machines.values().stream()
                            .filter(Machine::isUp)
                            .allMatch(each -> each.controller() != null
                                    && each.lab.image().version()
                                            == active.lab.image().version());
        });
        String same = content(active().lab.image());
        machines.values().stream()
                .filter(Machine::isUp)
                .forEach(each -> assertEquals(same, content(each.lab.image()), "machine " + each.id));
    }

    void cut(int from, int to) {
        cut.add(from * 100 + to);
    }

    void isolate(int id) {
        for (int other : machines.keySet()) {
            cut(id, other);
            cut(other, id);
        }
    }

    void heal() {
        cut.clear();
    }

    /** An admin request at that node: a quota of {@code user}. */
    void setQuota(Machine at, String user, double value, Callback<AlterClientQuotasResponseData> done) {
        AlterClientQuotasRequestData request = new AlterClientQuotasRequestData();
        request.entries()
                .add(new AlterClientQuotasRequestData.EntryData()
                        .setEntity(List.of(new AlterClientQuotasRequestData.EntityData()
                                .setEntityType("user")
                                .setEntityName(user)))
                        .setOps(List.of(new AlterClientQuotasRequestData.OpData()
                                .setKey("producer_byte_rate")
                                .setValue(value))));
        at.controller().alterClientQuotas(request, done);
    }

    /** At an active controller, until one has answered. */
    void setQuota(String user, double value) {
        boolean[] done = new boolean[1];
        while (!done[0]) {
            Machine at = awaitActive();
            boolean[] answered = new boolean[1];
            setQuota(at, user, value, (answer, failure) -> {
                answered[0] = true;
                done[0] = failure == null && answer.entries().get(0).errorCode() == 0;
            });
            await("an answer", () -> answered[0] || !at.isUp());
        }
    }

    /** null: none. */
    static Double quota(MetadataImage image, String user) {
        return image.quotas(metadata.QuotaEntity.of(Map.of("user", user))).get("producer_byte_rate");
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Machine each : machines.values()) {
            text.append("\n ").append(each.id).append(": ");
            if (each.isUp() && each.controller() != null) {
                ActiveController active = each.controller().active();
                text.append("leader ").append(active.id()).append(" epoch ").append(active.epoch());
                text.append(active.local() ? " (active)" : "");
                text.append(" image ").append(each.lab.image().version());
                text.append(" log ").append(each.controller().log().logStartOffset());
                text.append("-").append(each.controller().log().logEndOffset());
            } else {
                text.append("down");
            }
        }
        return text.toString();
    }

    /** From one process. */
    private final class Lines implements MetadataReplica.Wire {
        private final int from;
        private final SimHost process;
        private final PeerAnswers answers = new PeerAnswers(LISTENER);
        private boolean closed;

        Lines(int from, SimHost process) {
            this.from = from;
            this.process = process;
        }

        @Override
        public void send(RaftOutput.Send send, Callback<RaftResponse> done) {
            int to = send.to().endpoints().get(0).port();
            boolean[] over = new boolean[1];
            Callback<RaftResponse> once = (answer, failure) -> {
                if (!over[0] && !closed) {
                    over[0] = true;
                    done.done(answer, failure);
                }
            };
            Machine there = machines.get(to);
            ApiMessage message = RaftRequests.toKafka(send.request());
            there.asked.add(() -> later(process, delay(), () -> once.fail(FailureCode.PEER_LOST, "it ended")));
            later(process, 2_000, () -> once.fail(FailureCode.TIMED_OUT, "no answer"));
            later(process, delay(), () -> {
                if (cut.contains(from * 100 + to)) {
                    return;
                }
                if (!there.isUp() || there.controller() == null) {
                    if (!cut.contains(to * 100 + from)) {
                        once.fail(FailureCode.PEER_REFUSED, "nobody listens");
                    }
                    return;
                }
                SimHost answering = there.host;
                later(
                        answering,
                        0,
                        () -> deliver(
                                there.controller().quorum(),
                                message,
                                (answer, failure) -> later(process, delay(), () -> {
                                    if (!cut.contains(to * 100 + from)
                                            && answering.life().alive()) {
                                        if (failure == null) {
                                            once.succeed(answers.fromKafka(answer));
                                        } else {
                                            once.fail(FailureCode.PEER_LOST, "it ended");
                                        }
                                    }
                                })));
            });
        }

        private long delay() {
            return random.below(5);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private void later(SimHost process, long millis, Runnable action) {
        scheduler.after(millis * SimScheduler.MILLI, process.life(), "wire", action);
    }

    private static void deliver(MetadataQuorum to, ApiMessage message, Callback<ApiMessage> done) {
        if (message instanceof VoteRequestData vote) {
            to.vote(vote, (answer, failure) -> done.done(answer, failure));
        } else if (message instanceof BeginQuorumEpochRequestData begin) {
            to.beginQuorumEpoch(begin, (answer, failure) -> done.done(answer, failure));
        } else if (message instanceof EndQuorumEpochRequestData end) {
            to.endQuorumEpoch(end, (answer, failure) -> done.done(answer, failure));
        } else if (message instanceof FetchRequestData fetch) {
            to.fetch(fetch, (answer, failure) -> done.done(answer, failure));
        } else if (message instanceof FetchSnapshotRequestData fetch) {
            to.fetchSnapshot(fetch, (answer, failure) -> done.done(answer, failure));
        } else if (message instanceof AddRaftVoterRequestData add) {
            to.addRaftVoter(add, (answer, failure) -> done.done(answer, failure));
        } else if (message instanceof RemoveRaftVoterRequestData remove) {
            to.removeRaftVoter(remove, (answer, failure) -> done.done(answer, failure));
        } else {
            to.updateRaftVoter((UpdateRaftVoterRequestData) message, (answer, failure) -> done.done(answer, failure));
        }
    }
}
