package sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * An administrator with topics of its own that it creates, configures and deletes, one operation after another, and who deletes records of trimmed
 * partitions. Remembers per topic what must be true (R10, C9): after an unknown outcome both are possible until an answer tells.
 */
final class SimAdmin implements SimClient {
    private static final int TOPICS = 3;

    enum Existence {
        YES,
        NO,
        MAYBE
    }

    /** What is known of one topic. */
    static final class Known {
        final String name;
        Existence exists = Existence.NO;
        Uuid id = Uuid.ZERO_UUID;
        /** The values that retention.ms may have now; more than one after an unknown outcome. */
        List<String> retention = new ArrayList<>(List.of(""));
        /** An operation with an unknown outcome may still take effect until then. */
        private long unsettledUntil;

        private Known(String name) {
            this.name = name;
        }

        private void unsettled(SimNet net) {
            unsettledUntil = net.scheduler().now() + 20_000 * SimScheduler.MILLI;
        }
    }

    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final List<PartitionLedger> trimmed;
    private final Map<String, Known> topics = new TreeMap<>();
    private final SimLink link;
    private boolean busy;
    private boolean working = true;
    private int changes;

    SimAdmin(SimNet net, SimRandom random, String name, List<PartitionLedger> partitions) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.trimmed = partitions.stream().filter(each -> each.trimmed).toList();
        for (int i = 0; i < TOPICS; i++) {
            Known topic = new Known(name + "-topic" + i);
            topics.put(topic.name, topic);
        }
        this.link = new SimLink(net, random, name, () -> busy = false);
    }

    Iterable<Known> topics() {
        return topics.values();
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
        return busy ? name + " waits for an answer" : null;
    }

    @Override
    public void stop() {
        working = false;
        link.stop();
    }

    private void tick() {
        net.scheduler().after((1 + random.below(200)) * SimScheduler.MILLI, null, "admin", () -> {
            if (working) {
                if (link.up() && !busy) {
                    busy = true;
                    act();
                }
                tick();
            }
        });
    }

    private void act() {
        if (!trimmed.isEmpty() && random.chance(0.5)) {
            deleteRecords(trimmed.get(random.below(trimmed.size())));
            return;
        }
        Known topic = topics.get(name + "-topic" + random.below(TOPICS));
        if (net.scheduler().now() < topic.unsettledUntil) {
            busy = false;
            return;
        }
        switch (random.below(3)) {
            case 0 -> create(topic);
            case 1 -> delete(topic);
            default -> configure(topic);
        }
    }

    private void create(Known topic) {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(5_000);
        CreatableTopic wanted = new CreatableTopic()
                .setName(topic.name)
                .setNumPartitions(1 + random.below(3))
                .setReplicationFactor((short) -1);
        String retention = Integer.toString(100_000_000 + changes++);
        wanted.configs().add(new CreatableTopicConfig().setName("retention.ms").setValue(retention));
        request.topics().add(wanted);
        Existence before = topic.exists;
        topic.exists = before == Existence.YES ? Existence.YES : Existence.MAYBE;
        if (before != Existence.YES) {
            topic.retention.add(retention);
        }
        link.send(ApiKeys.CREATE_TOPICS, (short) 7, request, 10_000, true, answer -> {
            busy = false;
            if (answer == null) {
                topic.unsettled(net);
                return;
            }
            var result = ((CreateTopicsResponseData) answer).topics().iterator().next();
            Errors error = Errors.forCode(result.errorCode());
            net.count("create." + error);
            if (error == Errors.NONE && before != Existence.YES) {
                topic.exists = Existence.YES;
                topic.id = result.topicId();
                topic.retention = new ArrayList<>(List.of(retention));
            } else if (error == Errors.TOPIC_ALREADY_EXISTS && before != Existence.NO) {
                topic.exists = Existence.YES;
            } else {
                unknownOrBroken("create", topic, before, error);
            }
        });
    }

    private void delete(Known topic) {
        DeleteTopicsRequestData request =
                new DeleteTopicsRequestData().setTimeoutMs(5_000).setTopicNames(List.of(topic.name));
        Existence before = topic.exists;
        topic.exists = before == Existence.NO ? Existence.NO : Existence.MAYBE;
        link.send(ApiKeys.DELETE_TOPICS, (short) 5, request, 10_000, true, answer -> {
            busy = false;
            if (answer == null) {
                topic.unsettled(net);
                return;
            }
            Errors error = Errors.forCode(((DeleteTopicsResponseData) answer)
                    .responses()
                    .iterator()
                    .next()
                    .errorCode());
            net.count("delete." + error);
            boolean gone = (error == Errors.NONE && before != Existence.NO)
                    || (error == Errors.UNKNOWN_TOPIC_OR_PARTITION && before != Existence.YES);
            if (gone) {
                topic.exists = Existence.NO;
                topic.retention = new ArrayList<>(List.of(""));
            } else {
                unknownOrBroken("delete", topic, before, error);
            }
        });
    }

    private void configure(Known topic) {
        String retention = Integer.toString(100_000_000 + changes++);
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        AlterConfigsResource resource =
                new AlterConfigsResource().setResourceType((byte) 2).setResourceName(topic.name);
        resource.configs()
                .add(new AlterableConfig()
                        .setName("retention.ms")
                        .setConfigOperation((byte) 0)
                        .setValue(retention));
        request.resources().add(resource);
        Existence before = topic.exists;
        topic.retention.add(retention);
        link.send(ApiKeys.INCREMENTAL_ALTER_CONFIGS, (short) 1, request, 10_000, true, answer -> {
            busy = false;
            if (answer == null) {
                topic.unsettled(net);
                return;
            }
            Errors error = Errors.forCode(((IncrementalAlterConfigsResponseData) answer)
                    .responses()
                    .get(0)
                    .errorCode());
            net.count("configure." + error);
            if (error == Errors.NONE && before != Existence.NO) {
                topic.exists = Existence.YES;
                topic.retention = new ArrayList<>(List.of(retention));
            } else if (error == Errors.UNKNOWN_TOPIC_OR_PARTITION && before != Existence.YES) {
                topic.exists = Existence.NO;
                topic.retention = new ArrayList<>(List.of(""));
            } else {
                unknownOrBroken("configure", topic, before, error);
            }
        });
    }

    private void unknownOrBroken(String operation, Known topic, Existence before, Errors error) {
        boolean repeated = error == Errors.TOPIC_ALREADY_EXISTS || error == Errors.UNKNOWN_TOPIC_OR_PARTITION;
        if (net.nodes() > 1 && repeated) {
            // Passed on twice to the controller, as the first answer was lost.
            topic.unsettled(net);
            topic.exists = Existence.MAYBE;
            net.count(operation + ".repeated");
            return;
        }
        switch (error) {
            case NOT_CONTROLLER,
                    REQUEST_TIMED_OUT,
                    KAFKA_STORAGE_ERROR,
                    NETWORK_EXCEPTION,
                    BROKER_NOT_AVAILABLE,
                    THROTTLING_QUOTA_EXCEEDED -> {
                topic.unsettled(net);
                net.count(operation + ".unknown");
            }
            default ->
                throw new RuleBroken(
                        "R10 metadata operations",
                        operation + " " + topic.name + " (exists: " + before + ") answered " + error);
        }
    }

    private void deleteRecords(PartitionLedger ledger) {
        if (ledger.seen().isEmpty()) {
            busy = false;
            return;
        }
        long end = ledger.seen().lastKey();
        long offset = ledger.logStart() + random.belowLong(Math.max(1, end - ledger.logStart()));
        DeleteRecordsRequestData request = new DeleteRecordsRequestData().setTimeoutMs(5_000);
        DeleteRecordsTopic topic = new DeleteRecordsTopic().setName(ledger.topic);
        topic.partitions()
                .add(new DeleteRecordsPartition()
                        .setPartitionIndex(ledger.partition)
                        .setOffset(offset));
        request.topics().add(topic);
        link.send(ApiKeys.DELETE_RECORDS, (short) 2, request, 10_000, true, answer -> {
            busy = false;
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
            net.count("deleterecords." + error);
            if (error == Errors.NONE) {
                if (result.lowWatermark() < offset) {
                    throw new RuleBroken("I12 log start", "asked " + offset + ", got " + result.lowWatermark());
                }
                ledger.deletedBefore(offset);
            } else if (error != Errors.OFFSET_OUT_OF_RANGE && !SimOutcomes.retriable(error)) {
                throw new RuleBroken("V3 errors", error + " for DeleteRecords at " + ledger.name());
            }
        });
    }
}
