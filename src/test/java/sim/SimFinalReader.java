package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Reads what is there when all faults have stopped: one request after another, each of which must succeed (L*). */
final class SimFinalReader {
    private static final long PATIENCE = 60_000 * SimScheduler.MILLI;

    private final SimNet net;
    private final SimLink link;

    SimFinalReader(SimNet net, SimRandom random, String name) {
        this.net = net;
        this.link = new SimLink(net, random, name, () -> {});
    }

    /** Sends one request and lets the world run until its answer. Tries again on a new connection, up to a minute. */
    ApiMessage call(ApiKeys key, short version, ApiMessage request) {
        AtomicReference<ApiMessage> got = new AtomicReference<>();
        long limit = net.scheduler().now() + PATIENCE;
        while (net.scheduler().now() < limit) {
            link.connect();
            if (!net.scheduler().runUntil(link::up, limit)) {
                break;
            }
            boolean[] done = {false};
            link.send(key, version, request, 30_000, true, answer -> {
                got.set(answer);
                done[0] = true;
            });
            net.scheduler().runUntil(() -> done[0], limit);
            if (got.get() != null) {
                return got.get();
            }
        }
        throw new RuleBroken("L4 answers after heal", "no answer to " + key + " within a minute");
    }

    /** Who gave the last answer. */
    SimLife server() {
        return link.answering();
    }

    void stop() {
        link.stop();
    }

    /** @param timestamp -1 for the end, -2 for the start, else milliseconds */
    long offset(PartitionLedger ledger, long timestamp) {
        return offset(ledger.topic, ledger.partition, timestamp, false);
    }

    long offset(String topic, int partition, long timestamp, boolean committedOnly) {
        ListOffsetsRequestData request =
                new ListOffsetsRequestData().setReplicaId(-1).setIsolationLevel((byte) (committedOnly ? 1 : 0));
        ListOffsetsTopic wanted = new ListOffsetsTopic().setName(topic);
        wanted.partitions()
                .add(new ListOffsetsPartition().setPartitionIndex(partition).setTimestamp(timestamp));
        request.topics().add(wanted);
        var answer = settled(
                () -> ((ListOffsetsResponseData) call(ApiKeys.LIST_OFFSETS, (short) 7, request))
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0),
                each -> each.errorCode());
        good("ListOffsets", topic + "-" + partition, answer.errorCode());
        return answer.offset();
    }

    /** All records of a partition with transactions. */
    List<SimTxnEntry> entries(SimTxnPartition partition, long end, boolean committedOnly) {
        List<SimTxnEntry> all = new ArrayList<>();
        long position = 0;
        while (position < end) {
            PartitionData data = fetch(partition.topic, partition.partition, position, committedOnly);
            if (partition.lossy() && data.errorCode() == Errors.CORRUPT_MESSAGE.code()) {
                partition.torn();
                position++;
                continue;
            }
            good("Fetch", partition.name(), data.errorCode());
            List<SimTxnEntry> some = SimTxnFetches.entries(partition, data, position, committedOnly);
            if (some.isEmpty()) {
                throw new RuleBroken("V1 catches up", partition.name() + ": nothing at " + position + " of " + end);
            }
            all.addAll(some);
            position = some.get(some.size() - 1).offset() + 1;
        }
        return all;
    }

    private PartitionData fetch(String topic, int partition, long position, boolean committedOnly) {
        FetchRequestData request = new FetchRequestData()
                .setMaxWaitMs(100)
                .setMinBytes(1)
                .setMaxBytes(1 << 20)
                .setIsolationLevel((byte) (committedOnly ? 1 : 0));
        FetchTopic wanted = new FetchTopic().setTopic(topic);
        wanted.partitions()
                .add(new FetchPartition()
                        .setPartition(partition)
                        .setFetchOffset(position)
                        .setPartitionMaxBytes(1 << 20));
        request.topics().add(wanted);
        return settled(
                () -> ((FetchResponseData) call(ApiKeys.FETCH, (short) 12, request))
                        .responses()
                        .get(0)
                        .partitions()
                        .get(0),
                each -> each.errorCode());
    }

    /** All records from {@code start} up to {@code end}. */
    List<PartitionLedger.Found> read(PartitionLedger ledger, long start, long end) {
        List<PartitionLedger.Found> all = new ArrayList<>();
        long position = start;
        while (position < end) {
            PartitionData data = fetch(ledger.topic, ledger.partition, position, false);
            if (ledger.lossy() && data.errorCode() == Errors.CORRUPT_MESSAGE.code()) {
                position++;
                continue;
            }
            good("Fetch", ledger.name(), data.errorCode());
            List<PartitionLedger.Found> some =
                    SimFetches.records(ledger.name(), (MemoryRecords) data.records(), position);
            if (some.isEmpty()) {
                throw new RuleBroken("V1 catches up", ledger.name() + ": nothing at " + position + " of " + end);
            }
            all.addAll(some);
            position = some.get(some.size() - 1).offset() + 1;
        }
        return all;
    }

    Map<Long, ProducerState> producers(PartitionLedger ledger) {
        return producers(ledger.topic, ledger.partition);
    }

    Map<Long, ProducerState> producers(String name, int partition) {
        TopicRequest topic = new TopicRequest().setName(name).setPartitionIndexes(List.of(partition));
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        request.topics().add(topic);
        var answer = settled(
                () -> ((DescribeProducersResponseData) call(ApiKeys.DESCRIBE_PRODUCERS, (short) 0, request))
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0),
                each -> each.errorCode());
        good("DescribeProducers", name + "-" + partition, answer.errorCode());
        Map<Long, ProducerState> states = new LinkedHashMap<>();
        answer.activeProducers().forEach(each -> states.put(each.producerId(), each));
        return states;
    }

    /** In a cluster leaders may still move: asks again for a while when it is told to. */
    private <T> T settled(Supplier<T> ask, ToIntFunction<T> error) {
        T answer = ask.get();
        long limit = net.scheduler().now() + PATIENCE;
        while (net.nodes() > 1
                && SimOutcomes.retriable(Errors.forCode((short) error.applyAsInt(answer)))
                && net.scheduler().now() < limit) {
            net.scheduler().runFor(100 * SimScheduler.MILLI);
            answer = ask.get();
        }
        return answer;
    }

    private static void good(String what, String partition, short code) {
        if (code != Errors.NONE.code()) {
            throw new RuleBroken("L4 answers after heal", what + " at " + partition + ": " + Errors.forCode(code));
        }
    }
}
