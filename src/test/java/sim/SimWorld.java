package sim;

import common.Chance;
import common.Failure;
import common.Mutations;
import config.BrokerConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One node with its disks, its clients and its misfortune, in one virtual time, all from one seed. */
final class SimWorld implements SimNet, SimNode.Events {
    private static final Logger LOG = LoggerFactory.getLogger(SimWorld.class);
    private static final CompressionType[] CODECS = {
        CompressionType.NONE, CompressionType.NONE, CompressionType.LZ4, CompressionType.GZIP
    };

    private final SimRandom random;
    private final SimProfile profile;
    private final SimScheduler scheduler;
    private final SimClock clock;
    private final SimNetwork network;
    private final List<SimDisk> disks = new ArrayList<>();
    private final SimNode node;
    private final List<PartitionLedger> ledgers = new ArrayList<>();
    private final List<SimClient> clients = new ArrayList<>();
    private final List<SimAdmin> admins = new ArrayList<>();
    private final List<SimChurn> churns = new ArrayList<>();
    private final SimGroups groups;
    private final Map<String, Integer> counts = new TreeMap<>();
    private final TreeSet<Long> producerIds = new TreeSet<>();
    private final SimRandom clientRandom;
    private SimStorm storm;

    SimWorld(SimRandom random, SimProfile profile, Mutations mutations) {
        this.random = random;
        this.profile = profile;
        this.scheduler = new SimScheduler(random);
        this.clock = new SimClock(scheduler);
        this.network = new SimNetwork(random.split("network"));
        this.clientRandom = random.split("clients");
        this.groups = new SimGroups(this, profile, clientRandom.split("groups"));
        for (int i = 0; i < profile.get("disks"); i++) {
            disks.add(new SimDisk(random.split("disk" + i)));
        }
        SimRandom luck = random.split("chance");
        double unlucky = profile.get("buggify") / 100.0;
        Chance chance = unlucky == 0 ? Chance.NEVER : point -> luck.chance(unlucky);
        SimNodeHost.Parts parts = new SimNodeHost.Parts(
                scheduler, clock, disks, profile.get("loops"), chance, mutations, network.chunks(), new SimMetrics());
        this.node = new SimNode(parts, config(), random.split("node"), this);
    }

    private BrokerConfig config() {
        Map<String, String> properties = new LinkedHashMap<>();
        StringBuilder directories = new StringBuilder();
        for (int i = 0; i < disks.size(); i++) {
            directories.append(i == 0 ? "" : ",").append("disk").append(i);
        }
        properties.put("log.dirs", directories.toString());
        properties.put("auto.create.topics.enable", "false");
        properties.put("log.dir.reserve.bytes", Integer.toString(profile.get("reserve")));
        properties.put("log.retention.check.interval.ms", Integer.toString(profile.get("retentionMillis")));
        properties.put("log.initial.task.delay.ms", "100");
        properties.put("log.flush.offset.checkpoint.interval.ms", Integer.toString(profile.get("checkpointMillis")));
        properties.put(
                "log.flush.start.offset.checkpoint.interval.ms", Integer.toString(profile.get("checkpointMillis")));
        properties.put(
                "replica.high.watermark.checkpoint.interval.ms", Integer.toString(profile.get("checkpointMillis")));
        properties.put(
                "metadata.log.max.record.bytes.between.snapshots", Integer.toString(profile.get("snapshotBytes")));
        properties.put("log.max.open.files", Integer.toString(profile.get("openFiles")));
        SimGroups.configure(profile, properties);
        BrokerConfig.Parsed parsed = BrokerConfig.parse(properties);
        if (parsed.config() == null) {
            throw new IllegalStateException(parsed.problems().toString());
        }
        return parsed.config();
    }

    // ---- phases, in the order of SimRun

    void warmUp() {
        node.start();
        await("L start", 60_000, node::serving);
        createTopics();
        makeClients();
        clients.forEach(SimClient::start);
        scheduler.runFor(500 * SimScheduler.MILLI);
    }

    private void createTopics() {
        SimFinalReader admin = new SimFinalReader(this, clientRandom.split("setup"), "setup");
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(30_000);
        for (int i = 0; i < profile.get("topics"); i++) {
            CreatableTopic topic = new CreatableTopic()
                    .setName("t" + i)
                    .setNumPartitions(profile.get("partitions"))
                    .setReplicationFactor((short) 1);
            configure(topic, "internal.segment.bytes", profile.get("segmentBytes"));
            configure(topic, "index.interval.bytes", profile.get("indexInterval"));
            configure(topic, "file.delete.delay.ms", 200);
            if (profile.durable(i)) {
                configure(topic, "flush.messages", 1);
            }
            if (profile.trimmed(i)) {
                configure(topic, "retention.bytes", 4 * profile.get("segmentBytes"));
            }
            request.topics().add(topic);
        }
        CreatableTopic offsets = SimGroups.offsetsTopic(profile);
        if (offsets != null) {
            request.topics().add(offsets);
        }
        CreateTopicsResponseData answer =
                (CreateTopicsResponseData) admin.call(ApiKeys.CREATE_TOPICS, (short) 7, request);
        for (CreatableTopicResult each : answer.topics()) {
            if (each.errorCode() != Errors.NONE.code()) {
                throw new RuleBroken("L create topics", each.toString());
            }
            if (Topic.isInternal(each.name())) {
                continue;
            }
            int topic = Integer.parseInt(each.name().substring(1));
            for (int i = 0; i < profile.get("partitions"); i++) {
                PartitionLedger ledger =
                        new PartitionLedger(each.name(), i, profile.durable(topic), profile.trimmed(topic));
                ledgers.add(ledger);
            }
        }
        admin.stop();
    }

    private static void configure(CreatableTopic topic, String name, int value) {
        topic.configs().add(new CreatableTopicConfig().setName(name).setValue(Integer.toString(value)));
    }

    private void makeClients() {
        for (int i = 0; i < profile.get("producers"); i++) {
            SimRandom own = clientRandom.split("producer" + i);
            SimProducer.Spec spec = new SimProducer.Spec(
                    own.chance(0.3) ? 2 : 1,
                    own.between(1, 5),
                    profile.get("maxRecords"),
                    profile.get("padding"),
                    profile.get("interval"),
                    version(own, ApiKeys.PRODUCE, 3),
                    own.between(500, 5_000));
            clients.add(new SimProducer(this, own, "p" + i, spec, some(own)));
        }
        for (int i = 0; i < profile.get("plainProducers"); i++) {
            SimRandom own = clientRandom.split("plain" + i);
            SimPlainProducer.Spec spec = new SimPlainProducer.Spec(
                    (short) own.between(-1, 1),
                    own.between(1, 10),
                    profile.get("maxRecords"),
                    profile.get("padding"),
                    profile.get("interval"),
                    version(own, ApiKeys.PRODUCE, 3),
                    own.between(500, 5_000));
            clients.add(new SimPlainProducer(this, own, "q" + i, spec, some(own)));
        }
        for (int i = 0; i < profile.get("consumers"); i++) {
            SimRandom own = clientRandom.split("consumer" + i);
            SimConsumer.Spec spec = new SimConsumer.Spec(
                    version(own, ApiKeys.FETCH, 4),
                    own.chance(0.7),
                    own.below(500),
                    own.below(2_000),
                    own.chance(0.5) ? 1 << 20 : own.between(1, 5_000),
                    own.chance(0.5) ? 1 << 20 : own.between(1, 3_000),
                    own.chance(0.3));
            clients.add(new SimConsumer(this, own, "c" + i, spec, ledgers));
        }
        for (int i = 0; i < profile.get("admins"); i++) {
            SimAdmin admin = new SimAdmin(this, clientRandom.split("admin" + i), "a" + i, ledgers);
            admins.add(admin);
            clients.add(admin);
        }
        for (int i = 0; i < profile.get("churns"); i++) {
            SimChurn churn = new SimChurn(this, clientRandom.split("churn" + i), "x" + i);
            churns.add(churn);
            clients.add(churn);
        }
        clients.addAll(groups.make(ledgers));
    }

    private static short version(SimRandom random, ApiKeys key, int lowest) {
        return (short)
                (random.chance(0.5) ? key.latestVersion(false) : random.between(lowest, key.latestVersion(false)));
    }

    /** One or more of the partitions. */
    private List<PartitionLedger> some(SimRandom own) {
        List<PartitionLedger> chosen = new ArrayList<>();
        for (PartitionLedger each : ledgers) {
            if (own.chance(0.6)) {
                chosen.add(each);
            }
        }
        return chosen.isEmpty() ? List.of(ledgers.get(own.below(ledgers.size()))) : chosen;
    }

    void storm() {
        storm = new SimStorm(this, random.split("storm"));
        storm.begin();
        scheduler.runFor(profile.get("stormMillis") * SimScheduler.MILLI);
        storm.end();
    }

    /** All faults off: the node comes up, clients finish what they have begun, and consumers catch up (L*). */
    void heal() {
        if (node.alive() && node.life().powerLost()) {
            // A directory that went offline stays so until the process ends (rule S3).
            crash(false, false);
        }
        await("L4 serves after heal", 60_000, () -> {
            if (!node.alive()) {
                node.start();
            }
            return node.serving();
        });
        scheduler.runFor(1_000 * SimScheduler.MILLI);
        clients.forEach(SimClient::quiesce);
        for (SimClient client : clients) {
            long limit = scheduler.now() + 60_000 * SimScheduler.MILLI;
            if (!scheduler.runUntil(() -> client.unfinished() == null, limit)) {
                throw new RuleBroken("L4 clients finish after heal", client.unfinished());
            }
        }
    }

    /** Groups settle; and in some runs the node goes away once more under their members, which must move none of them. */
    void groupsSettle() {
        groups.settle();
        int how = profile.get("reread");
        if (!groups.all().isEmpty() && how > 0) {
            List<List<String>> before = groups.describe();
            restart(how == 1 && ledgers.stream().allMatch(each -> each.durable) ? 1 : how == 1 ? 2 : 0);
            groups.unmoved(before);
        }
    }

    void stopClients() {
        clients.forEach(SimClient::stop);
        // Ghosts and late bytes have come by then.
        scheduler.runFor(7_000 * SimScheduler.MILLI);
    }

    /** Ends the process in one of several ways and starts it again. */
    void restart(int how) {
        if (how == 0) {
            node.stopClean();
            await("L clean stop", 60_000, () -> !node.alive());
        } else {
            crash(how == 1, false);
        }
        node.start();
        await("L4 serves after restart", 60_000, node::serving);
    }

    private void await(String rule, long millis, java.util.function.BooleanSupplier condition) {
        if (!scheduler.runUntil(condition, scheduler.now() + millis * SimScheduler.MILLI)) {
            throw new RuleBroken(rule, "not within " + millis + " ms");
        }
    }

    // ---- faults

    void crash(boolean power, boolean silently) {
        if (node.alive()) {
            count(power ? "node.powercuts" : "node.kills");
            if (power) {
                unsyncedLost();
            }
            node.end(power, silently);
        }
    }

    @Override
    public void crashedInJob() {
        boolean power = storm.nextCrashIsPowerCut();
        count(power ? "node.powercuts-in-job" : "node.kills-in-job");
        if (power) {
            unsyncedLost();
        }
        node.afterCrash(power, false);
        storm.planRestart();
    }

    @Override
    public void startRefused(Failure why) {
        if (storm == null || !storm.excuses()) {
            throw new RuleBroken("L start", "the node does not start: " + why);
        }
        count("node.refused");
        storm.planRestart();
    }

    @Override
    public void halted(Failure why) {
        if (storm == null || !storm.excuses()) {
            throw new RuleBroken("L node runs", "the node halts: " + why);
        }
        count("node.halts");
        storm.planRestart();
    }

    @Override
    public void stopped(Failure why) {
        count(why == null ? "node.clean-stops" : "node.failed-stops");
        if (why != null && (storm == null || !storm.excuses())) {
            throw new RuleBroken("S6 clean stop", "failed: " + why);
        }
        if (storm != null && storm.raging()) {
            storm.planRestart();
        }
    }

    /** A sync has failed: what memory acks promised since may be gone with the pages. */
    void pagesLost() {
        unsyncedLost();
        node.life().unsyncedLost();
    }

    private void unsyncedLost() {
        ledgers.forEach(PartitionLedger::powerCut);
        churns.forEach(each -> each.ledgers().forEach(PartitionLedger::powerCut));
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
    public SimWire connect(SimWire.ClientEnd client) {
        return node.connect(network, client);
    }

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
    public void unexpectedUnknownTopic(String partition, SimLife server) {
        throw new RuleBroken("R10 created topics exist", partition + " is unknown to " + server.name());
    }

    // ---- for the storm, the judges and the report

    SimProfile profile() {
        return profile;
    }

    SimNode node() {
        return node;
    }

    List<SimDisk> disks() {
        return disks;
    }

    SimClock clock() {
        return clock;
    }

    SimNetwork network() {
        return network;
    }

    List<PartitionLedger> ledgers() {
        return ledgers;
    }

    List<SimAdmin> admins() {
        return admins;
    }

    List<SimGroup> groups() {
        return groups.all();
    }

    List<SimCommitter> committers() {
        return groups.committers();
    }

    List<SimChurn> churns() {
        return churns;
    }

    Map<String, Integer> counts() {
        return counts;
    }

    SimRandom random() {
        return random;
    }
}
