package sim;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** The topics and clients of a world, as its profile wants them. */
final class SimWorkload {
    private final SimNet net;
    private final SimProfile profile;
    private final SimRandom random;
    private final List<PartitionLedger> ledgers = new ArrayList<>();
    private final List<SimClient> clients = new ArrayList<>();
    private final List<SimAdmin> admins = new ArrayList<>();
    private final List<SimChurn> churns = new ArrayList<>();
    private final SimGroups groups;
    private final SimTransactions transactions;

    SimWorkload(SimNet net, SimProfile profile, SimRandom random) {
        this.net = net;
        this.profile = profile;
        this.random = random;
        this.groups = new SimGroups(net, profile, random.split("groups"));
        this.transactions = new SimTransactions(net, profile, random.split("transactions"));
    }

    List<PartitionLedger> ledgers() {
        return ledgers;
    }

    List<SimClient> clients() {
        return clients;
    }

    List<SimAdmin> admins() {
        return admins;
    }

    List<SimChurn> churns() {
        return churns;
    }

    SimGroups groups() {
        return groups;
    }

    SimTransactions transactions() {
        return transactions;
    }

    /** What was promised in memory only may be gone now. */
    void unsyncedLost() {
        ledgers.forEach(PartitionLedger::powerCut);
        transactions.unsyncedLost();
        churns.forEach(each -> each.ledgers().forEach(PartitionLedger::powerCut));
    }

    void createTopics() {
        SimFinalReader admin = new SimFinalReader(net, random.split("setup"), "setup");
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(30_000);
        for (int i = 0; i < profile.get("topics"); i++) {
            request.topics().add(topic(i));
        }
        for (int i = 0; i < profile.get("compacted"); i++) {
            request.topics().add(SimCompacted.topic("k" + i, profile.get("compactedSegment"), profile.preallocated(i)));
        }
        CreatableTopic offsets = SimGroups.offsetsTopic(profile);
        if (offsets != null) {
            request.topics().add(offsets);
        }
        transactions.topics().forEach(request.topics()::add);
        CreateTopicsResponseData answer =
                (CreateTopicsResponseData) admin.call(ApiKeys.CREATE_TOPICS, (short) 7, request);
        for (CreatableTopicResult each : answer.topics()) {
            if (each.errorCode() != Errors.NONE.code()) {
                throw new RuleBroken("L create topics", each.toString());
            }
            if (!each.name().matches("t\\d+")) {
                continue;
            }
            int topic = Integer.parseInt(each.name().substring(1));
            for (int i = 0; i < profile.get("partitions"); i++) {
                ledgers.add(new PartitionLedger(
                        each.name(), i, profile.durable(topic), profile.trimmed(topic), profile.replicas() > 1));
            }
        }
        admin.stop();
    }

    private CreatableTopic topic(int index) {
        CreatableTopic topic = new CreatableTopic()
                .setName("t" + index)
                .setNumPartitions(profile.get("partitions"))
                .setReplicationFactor((short) -1);
        configure(topic, "internal.segment.bytes", profile.get("segmentBytes"));
        configure(topic, "index.interval.bytes", profile.get("indexInterval"));
        configure(topic, "file.delete.delay.ms", 200);
        if (profile.preallocated(index)) {
            configure(topic, "preallocate", "true");
        }
        if (profile.durable(index)) {
            configure(topic, "flush.messages", 1);
        }
        if (profile.trimmed(index)) {
            configure(topic, "retention.bytes", 4 * profile.get("segmentBytes"));
        }
        return topic;
    }

    private static void configure(CreatableTopic topic, String name, int value) {
        configure(topic, name, Integer.toString(value));
    }

    static void configure(CreatableTopic topic, String name, String value) {
        topic.configs().add(new CreatableTopicConfig().setName(name).setValue(value));
    }

    void makeClients() {
        for (int i = 0; i < profile.get("producers"); i++) {
            clients.add(producer(i));
        }
        for (int i = 0; i < profile.get("plainProducers"); i++) {
            clients.add(plainProducer(i));
        }
        for (int i = 0; i < profile.get("consumers"); i++) {
            clients.add(consumer(i));
        }
        for (int i = 0; i < profile.get("admins"); i++) {
            SimAdmin admin = new SimAdmin(net, random.split("admin" + i), "a" + i, ledgers);
            admins.add(admin);
            clients.add(admin);
        }
        for (int i = 0; i < profile.get("churns"); i++) {
            SimChurn churn = new SimChurn(net, random.split("churn" + i), "x" + i);
            churns.add(churn);
            clients.add(churn);
        }
        clients.addAll(groups.make(ledgers));
        clients.addAll(transactions.make());
        for (int i = 0; i < profile.get("compacted"); i++) {
            SimRandom own = random.split("compacted" + i);
            clients.add(new SimCompacted(net, own, "k" + i, profile.get("compactedKeys"), profile.get("interval")));
        }
    }

    private SimProducer producer(int index) {
        SimRandom own = random.split("producer" + index);
        SimProducer.Spec spec = new SimProducer.Spec(
                own.chance(0.3) ? 2 : 1,
                own.between(1, 5),
                profile.get("maxRecords"),
                profile.get("padding"),
                profile.get("interval"),
                version(own, ApiKeys.PRODUCE, 3),
                own.between(500, 5_000));
        return new SimProducer(net, own, "p" + index, spec, some(own));
    }

    private SimPlainProducer plainProducer(int index) {
        SimRandom own = random.split("plain" + index);
        SimPlainProducer.Spec spec = new SimPlainProducer.Spec(
                (short) own.between(-1, 1),
                own.between(1, 10),
                profile.get("maxRecords"),
                profile.get("padding"),
                profile.get("interval"),
                version(own, ApiKeys.PRODUCE, 3),
                own.between(500, 5_000));
        return new SimPlainProducer(net, own, "q" + index, spec, some(own));
    }

    private SimConsumer consumer(int index) {
        SimRandom own = random.split("consumer" + index);
        SimConsumer.Spec spec = new SimConsumer.Spec(
                version(own, ApiKeys.FETCH, 4),
                own.chance(0.7),
                own.below(500),
                own.below(2_000),
                own.chance(0.5) ? 1 << 20 : own.between(1, 5_000),
                own.chance(0.5) ? 1 << 20 : own.between(1, 3_000),
                own.chance(0.3));
        return new SimConsumer(net, own, "c" + index, spec, ledgers);
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
}
