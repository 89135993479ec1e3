package sim;

import common.Mutations;
import common.Peers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.CompressionType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Machines, a network between them and clients, the clients and their misfortune, in one virtual time, all from one seed. */
final class SimWorld implements SimNet, SimPeers.Listening {
    private static final Logger LOG = LoggerFactory.getLogger(SimWorld.class);
    /** In which all nodes that live hear of what the controller has decided. */
    private static final long NEWS_NANOS = 10_000 * SimScheduler.MILLI;

    private static final CompressionType[] CODECS = {
        CompressionType.NONE, CompressionType.NONE, CompressionType.LZ4, CompressionType.GZIP
    };

    private final SimRandom random;
    private final SimProfile profile;
    private final SimScheduler scheduler;
    private final SimNetwork network;
    private final List<SimMachine> machines = new ArrayList<>();
    private final SimWorkload workload;
    private final Map<String, Integer> counts = new TreeMap<>();
    private final TreeSet<Long> producerIds = new TreeSet<>();
    private final SimRandom clientRandom;
    private SimStorm storm;
    private final SimClusterJudge judge;
    private int losses;
    private long quietSince = Long.MAX_VALUE;

    SimWorld(SimRandom random, SimProfile profile, Mutations mutations) {
        this.random = random;
        this.profile = profile;
        this.scheduler = new SimScheduler(random);
        this.network = new SimNetwork(scheduler, random.split("network"));
        this.clientRandom = random.split("clients");
        this.judge = new SimClusterJudge(this);
        this.workload = new SimWorkload(this, profile, clientRandom);
        for (int i = 0; i < profile.get("nodes"); i++) {
            machines.add(new SimMachine(this, i, mutations));
        }
    }

    // ---- phases, in the order of SimRun

    void warmUp() {
        machines.forEach(SimMachine::start);
        awaitAll("L start");
        if (nodes() > 1) {
            judge.begin();
        }
        workload.createTopics();
        workload.makeClients();
        workload.clients().forEach(SimClient::start);
        scheduler.runFor(500 * SimScheduler.MILLI);
    }

    void storm() {
        storm = new SimStorm(this, random.split("storm"));
        storm.begin();
        scheduler.runFor(profile.get("stormMillis") * SimScheduler.MILLI);
        storm.end();
    }

    /** All faults off: the nodes come up, clients finish what they have begun, and consumers catch up (L*). */
    void heal() {
        machines.forEach(SimMachine::heal);
        awaitAll("L4 serves after heal");
        quietSince = scheduler.now();
        scheduler.runFor(1_000 * SimScheduler.MILLI);
        if (nodes() > 1) {
            copiesAreWhole();
            losePart();
        }
        List<SimClient> clients = workload.clients();
        clients.forEach(SimClient::quiesce);
        for (SimClient client : clients) {
            long limit = scheduler.now() + 60_000 * SimScheduler.MILLI;
            if (!scheduler.runUntil(() -> client.unfinished() == null, limit)) {
                throw new RuleBroken("L4 clients finish after heal", client.unfinished());
            }
        }
    }

    /** Rule L4: all replicas are in sync again. */
    private void copiesAreWhole() {
        SimFinalReader reader = new SimFinalReader(this, random.split("whole"), "whole");
        long limit = scheduler.now() + 30_000 * SimScheduler.MILLI;
        String missing;
        do {
            scheduler.runFor(200 * SimScheduler.MILLI);
            missing = null;
            MetadataResponseData all = (MetadataResponseData) reader.call(
                    ApiKeys.METADATA,
                    ApiKeys.METADATA.latestVersion(false),
                    new MetadataRequestData().setTopics(null).setAllowAutoTopicCreation(false));
            for (MetadataResponseTopic topic : all.topics()) {
                for (MetadataResponsePartition each : topic.partitions()) {
                    if (each.isrNodes().size() < each.replicaNodes().size() || each.leaderId() < 0) {
                        missing = topic.name() + " " + each;
                    }
                }
            }
        } while (missing != null && scheduler.now() < limit);
        reader.stop();
        if (missing != null) {
            throw new RuleBroken("L4 all replicas in sync after heal", missing);
        }
    }

    /** A minority fails and stays so: the others go on (rule L3). */
    private void losePart() {
        SimRandom own = random.split("minority");
        boolean possible = profile.replicas() > 2 && profile.get("voters") > 2;
        if (possible && profile.get("minority") == 1) {
            machines.get(own.below(machines.size())).crash(false, false);
            count("minority.node");
        } else if (possible && profile.get("minority") == 2 && !SimTransactions.used(profile)) {
            // A coordinator that reaches a leader no more cannot end transactions there.
            int from = own.below(machines.size());
            int to = (from + own.between(1, machines.size() - 1)) % machines.size();
            network.path(machines.get(from).name(), machines.get(to).name()).cut();
            count("minority.link");
        }
    }

    /** Rules I10, R11: called when nobody writes. */
    void copiesAgree() {
        if (nodes() > 1) {
            List<String> partitions = new ArrayList<>();
            ledgers().forEach(each -> partitions.add(each.name()));
            transactions().partitions().forEach(each -> partitions.add(each.name()));
            partitions.add(SimClusterJudge.METADATA);
            judge.agree(partitions);
        }
    }

    /** Groups settle; and in some runs the nodes go away once more under their members, which must move none of them. */
    void groupsSettle() {
        workload.groups().settle();
        if (!groups().isEmpty() && profile.get("reread") > 0) {
            List<List<String>> before = workload.groups().describe();
            restart(ending());
            workload.groups().unmoved(before);
        }
    }

    void stopClients() {
        workload.clients().forEach(SimClient::stop);
        // Ghosts and late bytes have come by then.
        scheduler.runFor(7_000 * SimScheduler.MILLI);
    }

    /** How the profile wants nodes to be ended once all is quiet; power is only cut when nothing that was acked in memory could go with it. */
    SimMachine.End ending() {
        if (profile.get("reread") != 1) {
            return SimMachine.End.CLEAN;
        }
        boolean durable = ledgers().stream().allMatch(each -> each.durable)
                && transactions().partitions().stream().allMatch(each -> each.durable);
        return durable ? SimMachine.End.POWER_CUT : SimMachine.End.KILL;
    }

    /** One node after the other when it is done with care, else all at once. */
    void restart(SimMachine.End how) {
        quietSince = Long.MAX_VALUE;
        // A node that does not reach the active controller would not come up again.
        network.heal();
        for (SimMachine each : machines) {
            each.end(how);
            if (how == SimMachine.End.CLEAN) {
                each.start();
                each.awaitServing("L4 serves after restart");
            }
        }
        for (SimMachine each : machines) {
            if (!each.node().alive()) {
                each.start();
            }
        }
        awaitAll("L4 serves after restart");
        quietSince = scheduler.now();
    }

    /** They start, by themselves or with help, and serve: some only when others do, too. */
    private void awaitAll(String rule) {
        await(rule, 60_000, () -> {
            boolean all = true;
            for (SimMachine each : machines) {
                if (!each.node().alive()) {
                    each.start();
                }
                all &= each.node().serving();
            }
            return all;
        });
    }

    void await(String rule, long millis, BooleanSupplier condition) {
        if (!scheduler.runUntil(condition, scheduler.now() + millis * SimScheduler.MILLI)) {
            throw new RuleBroken(rule, "not within " + millis + " ms");
        }
    }

    // ---- what machines tell

    /** Whether there has been a storm: before it nothing excuses a node. */
    boolean stormed() {
        return storm != null;
    }

    /** A node has ended; it comes back if the storm still rages, else when all is healed. */
    void planRestart(SimMachine machine) {
        if (storm != null) {
            storm.planRestart(machine);
        }
    }

    /**
     * What was not synced there is gone, and with it what was acked without that promise: unless each record of that kind is on another machine (the first loss of a
     * run, where two must have it).
     */
    void unsyncedLost(SimMachine where) {
        losses++;
        if (losses > 1 || profile.minInSync() < 2) {
            workload.unsyncedLost();
        } else {
            count("lost-once." + where.name());
        }
    }

    // ---- SimNet

    @Override
    public SimScheduler scheduler() {
        return scheduler;
    }

    @Override
    public long wallMillis() {
        return SimClock.START_MILLIS + scheduler.now() / SimScheduler.MILLI;
    }

    @Override
    public CompressionType compression() {
        return CODECS[clientRandom.below(CODECS.length)];
    }

    @Override
    public SimWire connect(String from, int node, SimWire.ClientEnd client) {
        return machines.get(node).node().connect(from, client);
    }

    @Override
    public int nodes() {
        return machines.size();
    }

    // ---- SimPeers.Listening

    @Override
    public SimWire accept(String from, Peers.Address to, SimWire.ClientEnd client) {
        SimMachine machine = at(to);
        return machine == null ? null : machine.node().accept(from, to.port(), client);
    }

    @Override
    public boolean dark(Peers.Address to) {
        SimMachine machine = at(to);
        return machine != null && machine.node().dark();
    }

    private SimMachine at(Peers.Address address) {
        return machines.stream()
                .filter(each -> each.name().equals(address.host()))
                .findFirst()
                .orElse(null);
    }

    // ---- more of SimNet

    @Override
    public void sent(ApiKeys key, byte[] frame) {
        if (storm != null) {
            storm.sent(key, frame);
        }
    }

    @Override
    public void trace(String who, String what, ApiMessage message) {
        if (LOG.isInfoEnabled()) {
            LOG.info("{} ms {} {} {}", scheduler.now() / 1e6, who, what, message == null ? "" : message);
        }
        if (scheduler.traced()) {
            scheduler.say(who, what, message == null ? "" : message.toString());
        }
    }

    @Override
    public void count(String what) {
        counts.merge(what, 1, Integer::sum);
        scheduler.note(what, 0);
        if (!what.equals("consumer.records")) {
            LOG.info("{} ms {}", scheduler.now() / 1e6, what);
        }
    }

    @Override
    public long newProducerId(long id) {
        if (!producerIds.add(id)) {
            throw new RuleBroken("C7 producer ids are given once", Long.toString(id));
        }
        return id;
    }

    @Override
    public void told(MetadataResponseData answer) {
        judge.told(answer);
    }

    @Override
    public void acked(PartitionLedger ledger, long offset) {
        if (nodes() > 1) {
            judge.acked(ledger, offset, losses == 0);
        }
    }

    /** In a cluster a node may be behind, until some time after all is well. */
    @Override
    public void unexpectedUnknownTopic(String partition, SimLife server) {
        if (nodes() > 1 && scheduler.now() < quietSince + NEWS_NANOS) {
            count("unknown-topic");
            return;
        }
        throw new RuleBroken("R10 created topics exist", partition + " is unknown to " + server.name());
    }

    // ---- for the storm, the judges and the report

    /** What each node and its disks are like now, as JSON. */
    String dump() {
        StringBuilder json = new StringBuilder("{\"at\":" + scheduler.now() + ",\"event\":" + scheduler.executed());
        json.append(",\"machines\":[");
        for (SimMachine each : machines) {
            json.append(each.name().equals("n0") ? "" : ",").append(each.dump());
        }
        return json.append("]}").toString();
    }

    SimProfile profile() {
        return profile;
    }

    List<SimMachine> machines() {
        return machines;
    }

    SimNetwork network() {
        return network;
    }

    List<PartitionLedger> ledgers() {
        return workload.ledgers();
    }

    List<SimAdmin> admins() {
        return workload.admins();
    }

    List<SimGroup> groups() {
        return workload.groups().all();
    }

    List<SimCommitter> committers() {
        return workload.groups().committers();
    }

    SimTransactions transactions() {
        return workload.transactions();
    }

    List<SimChurn> churns() {
        return workload.churns();
    }

    Map<String, Integer> counts() {
        return counts;
    }

    SimRandom random() {
        return random;
    }
}
