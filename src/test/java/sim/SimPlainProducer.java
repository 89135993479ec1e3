package sim;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/** A producer without an id, with acks 0, 1 or all, pipelined and never retried. Now and then it sends a batch with a broken checksum. */
final class SimPlainProducer implements SimClient {
    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final Spec spec;
    private final List<PartitionLedger> partitions;
    private final List<String> topicNames;
    private final SimTopics topics = new SimTopics();
    private final SimLink link;
    private int count;
    private int open;
    private boolean producing = true;

    record Spec(
            short acks,
            int maxInFlight,
            int maxRecords,
            int padding,
            int intervalMillis,
            short version,
            int timeoutMillis) {}

    SimPlainProducer(SimNet net, SimRandom random, String name, Spec spec, List<PartitionLedger> partitions) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.spec = spec;
        this.partitions = partitions;
        this.topicNames = partitions.stream().map(each -> each.topic).distinct().toList();
        this.link = new SimLink(net, random, name, () -> {});
    }

    @Override
    public void start() {
        link.connect();
        tick();
    }

    @Override
    public void quiesce() {
        producing = false;
    }

    @Override
    public String unfinished() {
        return open == 0 ? null : name + " waits for " + open + " answers";
    }

    @Override
    public void stop() {
        producing = false;
        link.stop();
    }

    private void tick() {
        long wait = 1L + random.below(2 * spec.intervalMillis);
        net.scheduler().after(wait * SimScheduler.MILLI, null, "produce-plain", () -> {
            if (producing) {
                produce();
                tick();
            }
        });
    }

    private void produce() {
        PartitionLedger ledger = partitions.get(random.below(partitions.size()));
        if (!link.up() || link.inFlight() >= spec.maxInFlight) {
            return;
        }
        if (!topics.knows(ledger.topic)) {
            topics.ask(link, topicNames, () -> {});
            return;
        }
        List<String> values = new ArrayList<>();
        int records = 1 + random.below(spec.maxRecords);
        for (int i = 0; i < records; i++) {
            String value = name + "." + ledger.name() + "." + count++;
            ledger.send(value, false);
            values.add(value);
        }
        boolean broken = random.chance(0.02);
        TopicProduceData topic = spec.version >= 13
                ? new TopicProduceData().setTopicId(topics.id(ledger.topic))
                : new TopicProduceData().setName(ledger.topic);
        topic.partitionData()
                .add(new PartitionProduceData().setIndex(ledger.partition).setRecords(batch(values, broken)));
        ProduceRequestData request = new ProduceRequestData().setAcks(spec.acks).setTimeoutMs(spec.timeoutMillis);
        request.topicData().add(topic);
        boolean answered = spec.acks != 0;
        open += answered ? 1 : 0;
        link.send(ApiKeys.PRODUCE, spec.version, request, spec.timeoutMillis, answered, answer -> {
            open--;
            settle(ledger, values, broken, answer);
        });
    }

    private MemoryRecords batch(List<String> values, boolean broken) {
        MemoryRecords records = SimBatches.batch(
                values,
                random.below(spec.padding + 1),
                net.wallMillis(),
                net.compression(),
                RecordBatch.NO_PRODUCER_ID,
                RecordBatch.NO_PRODUCER_EPOCH,
                RecordBatch.NO_SEQUENCE);
        if (broken) {
            int at = 61 + random.below(records.sizeInBytes() - 61);
            byte[] bytes = records.buffer().array();
            bytes[records.buffer().arrayOffset() + at] ^= (byte) (1 << random.below(8));
        }
        return records;
    }

    private void settle(PartitionLedger ledger, List<String> values, boolean broken, ApiMessage answer) {
        if (answer == null) {
            return;
        }
        PartitionProduceResponse response = ((ProduceResponseData) answer)
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
        Errors error = Errors.forCode(response.errorCode());
        net.count("plain." + error);
        if (error == Errors.NONE) {
            if (broken) {
                throw new RuleBroken("S1 checksums", "a broken batch was accepted at " + ledger.name());
            }
            // One node's word alone is no promise where another may lead next.
            boolean promised = spec.acks < 0 || net.nodes() == 1;
            for (int i = 0; promised && i < values.size(); i++) {
                ledger.ack(values.get(i), response.baseOffset() + i, link.answering());
            }
        } else if (SimOutcomes.surelyNotDone(error)) {
            if (error == Errors.UNKNOWN_TOPIC_ID || error == Errors.UNKNOWN_TOPIC_OR_PARTITION) {
                net.unexpectedUnknownTopic(ledger.name(), link.answering());
            } else if (!broken && error != Errors.NOT_ENOUGH_REPLICAS) {
                throw new RuleBroken(
                        "V3 errors", error + " for a good batch at " + ledger.name() + ": " + response.errorMessage());
            }
            values.forEach(ledger::refuse);
        } else if (!SimOutcomes.retriable(error)) {
            throw new RuleBroken("V3 errors", error + " at " + ledger.name() + ": " + response.errorMessage());
        }
    }
}
