package sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;

/** The transactions of a world: producers write into two topics, jobs read one of them and write into the other, and readers judge what they get. */
final class SimTransactions {
    private static final String INPUT = "tin";
    private static final String OUTPUT = "tout";
    /** A job takes as many records at once as this number of a producer's batches has at most. */
    private static final int JOB_BATCHES = 3;

    private final SimNet net;
    private final SimProfile profile;
    private final SimRandom random;
    private final List<SimTxnPartition> input = new ArrayList<>();
    private final List<SimTxnPartition> output = new ArrayList<>();
    private final List<SimTxnId> ids = new ArrayList<>();
    private final List<SimTxnProbe> probes = new ArrayList<>();
    private final List<Map<Integer, Long>> jobs = new ArrayList<>();

    SimTransactions(SimNet net, SimProfile profile, SimRandom random) {
        this.net = net;
        this.profile = profile;
        this.random = random;
    }

    /** Whether there are any. */
    static boolean used(SimProfile profile) {
        return profile.get("transactions") > 0;
    }

    static boolean isTopic(String name) {
        return name.equals(INPUT) || name.equals(OUTPUT);
    }

    static void configure(SimProfile profile, Map<String, String> properties) {
        properties.put("transaction.state.log.num.partitions", Integer.toString(profile.get("txnStatePartitions")));
        properties.put("transaction.max.timeout.ms", "60000");
        properties.put("add.partitions.to.txn.retry.backoff.max.ms", Integer.toString(profile.get("txnBeginWait")));
    }

    List<SimTxnPartition> partitions() {
        List<SimTxnPartition> all = new ArrayList<>(input);
        all.addAll(output);
        return all;
    }

    List<SimTxnPartition> input() {
        return input;
    }

    List<SimTxnPartition> output() {
        return output;
    }

    List<SimTxnId> ids() {
        return ids;
    }

    List<SimTxnProbe> probes() {
        return probes;
    }

    /** How many jobs copy the input. */
    int jobs() {
        return jobs.size();
    }

    /** What was promised in memory only may be gone now, and jobs must go on from what is left. */
    void unsyncedLost() {
        partitions().forEach(SimTxnPartition::unsyncedLost);
        if (!durable(INPUT)) {
            jobs.forEach(Map::clear);
        }
    }

    private boolean durable(String topic) {
        return (profile.get("txnMemory") >> (topic.equals(INPUT) ? 0 : 1) & 1) == 0;
    }

    List<CreatableTopic> topics() {
        List<CreatableTopic> topics = new ArrayList<>();
        if (!used(profile)) {
            return topics;
        }
        // A batch larger than a segment is refused.
        int largest = 200 + JOB_BATCHES * profile.get("maxRecords") * (profile.get("padding") + 80);
        for (String each : new String[] {INPUT, OUTPUT}) {
            CreatableTopic topic = topic(each, profile.get("txnPartitions"));
            configure(topic, "internal.segment.bytes", Math.max(largest, profile.get("txnSegment")));
            configure(topic, "index.interval.bytes", profile.get("indexInterval"));
            if (durable(each)) {
                configure(topic, "flush.messages", 1);
            }
            topics.add(topic);
            for (int i = 0; i < profile.get("txnPartitions"); i++) {
                (each.equals(INPUT) ? input : output).add(new SimTxnPartition(each, i, durable(each)));
            }
        }
        if (profile.get("txnStateSegment") > 0) {
            CreatableTopic topic = topic(Topic.TRANSACTION_STATE_TOPIC_NAME, profile.get("txnStatePartitions"));
            topic.configs()
                    .add(new CreatableTopicConfig().setName("cleanup.policy").setValue("compact"));
            topic.configs()
                    .add(new CreatableTopicConfig()
                            .setName("min.cleanable.dirty.ratio")
                            .setValue("0.01"));
            configure(topic, "internal.segment.bytes", profile.get("txnStateSegment"));
            configure(topic, "delete.retention.ms", 500);
            configure(topic, "file.delete.delay.ms", 200);
            topics.add(topic);
        }
        return topics;
    }

    private static CreatableTopic topic(String name, int partitions) {
        return new CreatableTopic().setName(name).setNumPartitions(partitions).setReplicationFactor((short) -1);
    }

    private static void configure(CreatableTopic topic, String name, int value) {
        topic.configs().add(new CreatableTopicConfig().setName(name).setValue(Integer.toString(value)));
    }

    List<SimClient> make() {
        List<SimClient> clients = new ArrayList<>();
        for (int i = 0; i < profile.get("transactions"); i++) {
            clients.add(producer("tp" + i));
        }
        if (!used(profile)) {
            return clients;
        }
        clients.addAll(probes);
        boolean haunting = profile.faults.contains(SimProfile.Fault.GHOST);
        SimTxnGhosts ghosts = new SimTxnGhosts(net, random.split("ghosts"), haunting, profile.get("offsetsPartitions"));
        clients.add(ghosts);
        clients.add(new SimTxnOperator(net, random.split("operator"), partitions()));
        clients.add(new SimTxnReader(net, random.split("all"), "tr-all", false, partitions(), ghosts));
        clients.add(new SimTxnReader(net, random.split("committed"), "tr-committed", true, partitions(), ghosts));
        for (int i = 0; i < profile.get("txnJobs"); i++) {
            String job = "tj" + i;
            Map<Integer, Long> done = new TreeMap<>();
            jobs.add(done);
            for (int k = 0; k < Math.max(1, profile.get("txnJobMembers")); k++) {
                clients.add(job(job, k, done));
            }
        }
        return clients;
    }

    private SimTxnSlot producer(String name) {
        SimTxnId id = id(name);
        String group = name + "-group";
        probes.add(new SimTxnProbe(net, random.split(name + "/probe"), group, INPUT, id));
        SimRandom own = random.split(name);
        return new SimTxnSlot(net, own, name, restMillis(), count -> {
            SimRandom its = own.split("process" + count);
            SimTxnProducer.Spec spec = new SimTxnProducer.Spec(
                    group, INPUT, profile.get("maxRecords"), profile.get("txnInterval"), client(its));
            return new SimTxnProducer(net, its, name + "p" + count, id, spec, partitions());
        });
    }

    private SimTxnSlot job(String job, int index, Map<Integer, Long> done) {
        String name = job + "m" + index;
        SimTxnId id = id(name);
        SimRandom own = random.split(name);
        boolean alone = profile.get("txnJobMembers") == 0;
        boolean consumer = !alone && profile.consumerJob(jobs.size() - 1);
        SimTxnMember.Spec member = new SimTxnMember.Spec(
                job + "-group",
                INPUT,
                input.size(),
                alone ? 0 : profile.get("sessionMillis"),
                profile.get("rebalanceMillis"));
        return new SimTxnSlot(net, own, name, restMillis(), count -> {
            SimRandom its = own.split("process" + count);
            SimTxnJob.Spec spec = new SimTxnJob.Spec(
                    input, output, done, JOB_BATCHES * profile.get("maxRecords"), consumer, member, client(its));
            return new SimTxnJob(net, its, name + "p" + count, id, spec);
        });
    }

    private SimTxnId id(String name) {
        SimTxnId id = new SimTxnId(name);
        ids.add(id);
        return id;
    }

    private int restMillis() {
        return 2 * profile.get("txnTimeout");
    }

    private SimTxnClient.Spec client(SimRandom its) {
        boolean lenient = profile.faults.contains(SimProfile.Fault.CLOCK_JUMP)
                || profile.faults.contains(SimProfile.Fault.GHOST)
                || profile.get("txnMemory") > 0;
        return new SimTxnClient.Spec(
                its.below(100) < profile.get("txnSecond"),
                profile.get("txnTimeout"),
                its.between(200, 3_000),
                profile.get("padding"),
                profile.get("txnHasty"),
                lenient);
    }
}
