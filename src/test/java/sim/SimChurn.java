package sim;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Creates a topic, writes to it, cuts its front off, deletes it and makes it anew under the same name, often without waiting for the deletion's answer: no
 * incarnation may lose what was acked in it or inherit anything of the one before (C7). After an unknown outcome it goes on with another name.
 */
final class SimChurn implements SimClient {
    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final SimLink link;
    private final List<PartitionLedger> ledgers = new ArrayList<>();
    private PartitionLedger ledger;
    private int names;
    private int values;
    private int open;
    private boolean changing;
    private boolean working = true;

    SimChurn(SimNet net, SimRandom random, String name) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.link = new SimLink(net, random, name, () -> {});
    }

    /** All incarnations so far. */
    List<PartitionLedger> ledgers() {
        return ledgers;
    }

    /** The one that must exist now; null when that is not known. */
    PartitionLedger live() {
        return changing ? null : ledger;
    }

    @Override
    public void start() {
        link.connect();
        tick();
    }

    @Override
    public void quiesce() {
        working = false;
    }

    @Override
    public String unfinished() {
        return open == 0 ? null : name + " waits for " + open + " answers";
    }

    @Override
    public void stop() {
        working = false;
        link.stop();
    }

    private void tick() {
        net.scheduler().after((1 + random.below(60)) * SimScheduler.MILLI, null, "churn", () -> {
            if (working) {
                if (link.up() && !changing) {
                    act();
                }
                tick();
            }
        });
    }

    private void act() {
        if (ledger == null) {
            names++;
            create();
            return;
        }
        int choice = random.below(20);
        if (choice < 14) {
            produce(ledger);
        } else if (choice < 17) {
            deleteFront(ledger);
        } else {
            delete();
            // The next incarnation at once, or in its own time.
            if (random.chance(0.7) && link.up()) {
                create();
            } else {
                changing = true;
            }
        }
    }

    private String topic() {
        return name + "-n" + names;
    }

    private void send(ApiKeys key, int version, ApiMessage request, java.util.function.Consumer<ApiMessage> then) {
        open++;
        link.send(key, (short) version, request, 10_000, true, answer -> {
            open--;
            then.accept(answer);
        });
    }

    private void create() {
        changing = true;
        boolean durable = random.chance(0.5);
        CreatableTopic wanted =
                new CreatableTopic().setName(topic()).setNumPartitions(1).setReplicationFactor((short) -1);
        wanted.configs()
                .add(new CreatableTopicConfig()
                        .setName("internal.segment.bytes")
                        .setValue("800"));
        wanted.configs()
                .add(new CreatableTopicConfig().setName("file.delete.delay.ms").setValue("50"));
        if (durable) {
            wanted.configs()
                    .add(new CreatableTopicConfig().setName("flush.messages").setValue("1"));
        }
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(5_000);
        request.topics().add(wanted);
        String asked = topic();
        send(ApiKeys.CREATE_TOPICS, 7, request, answer -> {
            if (!asked.equals(topic())) {
                return;
            }
            changing = false;
            if (answer == null) {
                ledger = null;
                return;
            }
            var result = ((CreateTopicsResponseData) answer).topics().iterator().next();
            Errors error = Errors.forCode(result.errorCode());
            net.count("churn.create." + error);
            if (error == Errors.NONE) {
                born(asked, durable, result.topicId());
            } else if (error == Errors.TOPIC_ALREADY_EXISTS && net.nodes() > 1) {
                // Passed on twice to the controller, as the first answer was lost: who made it is not known.
                net.count("churn.repeated");
                ledger = null;
                names++;
            } else if (error == Errors.TOPIC_ALREADY_EXISTS) {
                throw new RuleBroken("R10 metadata operations", "create " + asked + " after its deletion: " + error);
            } else {
                ledger = null;
            }
        });
    }

    private void born(String topic, boolean durable, Uuid id) {
        for (PartitionLedger each : ledgers) {
            if (each.topicId.equals(id)) {
                throw new RuleBroken("C7 a re-created topic is another topic", topic + " has its old id " + id);
            }
        }
        ledger = new PartitionLedger(topic, 0, durable, true);
        ledger.topicId = id;
        ledgers.add(ledger);
    }

    private void delete() {
        DeleteTopicsRequestData request =
                new DeleteTopicsRequestData().setTimeoutMs(5_000).setTopicNames(List.of(topic()));
        String asked = topic();
        ledger = null;
        send(ApiKeys.DELETE_TOPICS, 5, request, answer -> {
            if (!asked.equals(topic())) {
                return;
            }
            Errors error = answer == null
                    ? Errors.NETWORK_EXCEPTION
                    : Errors.forCode(((DeleteTopicsResponseData) answer)
                            .responses()
                            .iterator()
                            .next()
                            .errorCode());
            net.count("churn.delete." + error);
            if (error == Errors.UNKNOWN_TOPIC_OR_PARTITION && net.nodes() == 1) {
                throw new RuleBroken("R10 created topics exist", asked + " cannot be deleted: " + error);
            }
            if (error != Errors.NONE) {
                // Not known whether it is gone: another name from now on.
                names++;
                ledger = null;
                changing = false;
            } else if (changing && ledger == null && open == 0) {
                changing = false;
                names--;
            }
        });
    }

    private void produce(PartitionLedger to) {
        List<String> batch = new ArrayList<>();
        for (int i = 0; i <= random.below(3); i++) {
            String value = name + "." + to.topicId + "." + values++;
            to.send(value, false);
            batch.add(value);
        }
        TopicProduceData topic = new TopicProduceData().setTopicId(to.topicId);
        topic.partitionData()
                .add(new PartitionProduceData()
                        .setIndex(0)
                        .setRecords(SimBatches.batch(
                                batch,
                                50,
                                net.wallMillis(),
                                CompressionType.NONE,
                                RecordBatch.NO_PRODUCER_ID,
                                RecordBatch.NO_PRODUCER_EPOCH,
                                RecordBatch.NO_SEQUENCE)));
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(5_000);
        request.topicData().add(topic);
        send(ApiKeys.PRODUCE, 13, request, answer -> {
            if (answer == null) {
                return;
            }
            var result = ((ProduceResponseData) answer)
                    .responses()
                    .iterator()
                    .next()
                    .partitionResponses()
                    .get(0);
            Errors error = Errors.forCode(result.errorCode());
            net.count("churn.produce." + error);
            if (error == Errors.NONE) {
                for (int i = 0; i < batch.size(); i++) {
                    to.ack(batch.get(i), result.baseOffset() + i, link.answering());
                }
            } else if (to == ledger && error == Errors.UNKNOWN_TOPIC_ID) {
                unknown(to);
            }
        });
    }

    /** In a cluster its leader may hear of a new topic a little later than the client. */
    private void unknown(PartitionLedger created) {
        if (net.nodes() > 1) {
            net.count("unknown-topic");
        } else {
            net.unexpectedUnknownTopic(created.topic + " " + created.topicId, link.answering());
        }
    }

    private void deleteFront(PartitionLedger of) {
        if (of.seen().isEmpty()) {
            return;
        }
        long offset = random.belowLong(of.seen().lastKey() + 1);
        DeleteRecordsRequestData request = new DeleteRecordsRequestData().setTimeoutMs(5_000);
        DeleteRecordsTopic topic = new DeleteRecordsTopic().setName(of.topic);
        topic.partitions().add(new DeleteRecordsPartition().setPartitionIndex(0).setOffset(offset));
        request.topics().add(topic);
        send(ApiKeys.DELETE_RECORDS, 2, request, answer -> {
            if (answer == null) {
                return;
            }
            var result = ((DeleteRecordsResponseData) answer)
                    .topics()
                    .iterator()
                    .next()
                    .partitions()
                    .iterator()
                    .next();
            Errors error = Errors.forCode(result.errorCode());
            net.count("churn.deleterecords." + error);
            if (error == Errors.NONE && !link.answering().powerLost()) {
                of.deletedBefore(offset);
            }
        });
    }
}
