package sim;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * The only writer of a compacted topic of one partition with durable acks: batch after batch, each retried until its outcome is known, and in between passes
 * over the whole log. So it knows what each pass must find: per key the newest record (a tombstone may be gone), at its offset; of the older ones any
 * that it wrote there (rules K1-K3).
 */
final class SimCompacted implements SimClient {
    private static final long TIMEOUT = 5_000;
    private static final int PRODUCE_VERSION = 12;
    private static final int FETCH_VERSION = 12;

    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final int keys;
    private final int interval;
    private final SimLink link;
    private final TreeMap<Long, Written> log = new TreeMap<>();
    private final Map<String, Written> newest = new TreeMap<>();
    private final TreeMap<Long, Written> found = new TreeMap<>();
    private List<Written> batch = List.of();
    private MemoryRecords records;
    private long producerId = -1;
    private short epoch;
    private int sequence;
    private int written;
    private boolean producing = true;
    private boolean checked;
    private boolean stopped;
    private int turn;

    /** @param value null for a tombstone */
    private record Written(String key, String value) {}

    /** @param interval mean milliseconds between two requests */
    SimCompacted(SimNet net, SimRandom random, String name, int keys, int interval) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.keys = keys;
        this.interval = interval;
        this.link = new SimLink(net, random, name, () -> next(turn));
    }

    static CreatableTopic topic(String name, int segmentBytes, boolean preallocate) {
        CreatableTopic topic =
                new CreatableTopic().setName(name).setNumPartitions(1).setReplicationFactor((short) -1);
        SimWorkload.configure(topic, "cleanup.policy", "compact");
        SimWorkload.configure(topic, "internal.segment.bytes", Integer.toString(segmentBytes));
        SimWorkload.configure(topic, "min.cleanable.dirty.ratio", "0.01");
        SimWorkload.configure(topic, "delete.retention.ms", "500");
        SimWorkload.configure(topic, "file.delete.delay.ms", "200");
        SimWorkload.configure(topic, "flush.messages", "1");
        SimWorkload.configure(topic, "preallocate", Boolean.toString(preallocate));
        return topic;
    }

    @Override
    public void start() {
        link.connect();
    }

    /** What is open is finished, and then there is one more pass. */
    @Override
    public void quiesce() {
        producing = false;
        checked = false;
    }

    @Override
    public String unfinished() {
        return !batch.isEmpty() || !checked ? name + " at offset " + log.size() + ", open " + batch : null;
    }

    @Override
    public void stop() {
        stopped = true;
        link.stop();
    }

    /** One request at a time: {@code mine} is the turn that this is for, so that a late one does nothing. */
    private void next(int mine) {
        if (mine != turn || stopped || !link.up()) {
            return;
        }
        int own = ++turn;
        net.scheduler().after((1L + random.below(2 * interval)) * SimScheduler.MILLI, null, "compacted", () -> {
            if (own == turn && !stopped && link.up()) {
                act(own);
            }
        });
    }

    private void act(int mine) {
        if (producerId < 0) {
            initialize(mine);
        } else if (!batch.isEmpty()) {
            send(mine);
        } else if (!producing || random.chance(0.05)) {
            if (producing || !checked) {
                found.clear();
                fetch(mine, 0);
            }
        } else {
            write();
            send(mine);
        }
    }

    private void initialize(int mine) {
        InitProducerIdRequestData request =
                new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(60_000);
        link.send(ApiKeys.INIT_PRODUCER_ID, (short) 4, request, TIMEOUT, true, answer -> {
            if (answer != null && ((InitProducerIdResponseData) answer).errorCode() == Errors.NONE.code()) {
                producerId = net.newProducerId(((InitProducerIdResponseData) answer).producerId());
                epoch = ((InitProducerIdResponseData) answer).producerEpoch();
            }
            next(mine);
        });
    }

    private void write() {
        List<Written> next = new ArrayList<>();
        int count = 1 + random.below(3);
        for (int i = 0; i < count; i++) {
            // Keys that are written once in a while only: their tombstones come to their end.
            boolean rare = random.chance(0.1);
            String key = rare ? "r" + random.below(50) : "k" + random.below(keys);
            next.add(new Written(key, random.chance(rare ? 0.5 : 0.2) ? null : key + "." + written++));
        }
        SimpleRecord[] all = new SimpleRecord[count];
        for (int i = 0; i < count; i++) {
            all[i] = new SimpleRecord(net.wallMillis(), bytes(next.get(i).key), bytes(next.get(i).value));
        }
        batch = next;
        records = MemoryRecords.withIdempotentRecords(
                Compression.of(net.compression()).build(), producerId, epoch, sequence, all);
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ByteBuffer bytes) {
        return bytes == null
                ? null
                : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    private void send(int mine) {
        TopicProduceData topic = new TopicProduceData().setName(name);
        topic.partitionData().add(new PartitionProduceData().setIndex(0).setRecords(records));
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs((int) TIMEOUT);
        request.topicData().add(topic);
        link.send(ApiKeys.PRODUCE, (short) PRODUCE_VERSION, request, TIMEOUT, true, answer -> {
            if (answer != null) {
                settle(answer);
            }
            next(mine);
        });
    }

    private void settle(ApiMessage answer) {
        PartitionProduceResponse response = ((ProduceResponseData) answer)
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
        Errors error = Errors.forCode(response.errorCode());
        net.count("compacted." + error);
        if (error == Errors.NONE) {
            if (!log.isEmpty() && response.baseOffset() <= log.lastKey()) {
                throw new RuleBroken(
                        "I11 offsets rise", name + " acked at " + response.baseOffset() + " after " + log.lastKey());
            }
            for (int i = 0; i < batch.size(); i++) {
                log.put(response.baseOffset() + i, batch.get(i));
                newest.put(batch.get(i).key, batch.get(i));
            }
            sequence += batch.size();
            batch = List.of();
        } else if (!SimOutcomes.retriable(error)) {
            throw new RuleBroken(
                    "P1 P2 verdict", error + " for " + batch + " of " + name + ": " + response.errorMessage());
        }
    }

    private void fetch(int mine, long position) {
        FetchTopic topic = new FetchTopic().setTopic(name);
        topic.partitions()
                .add(new FetchPartition()
                        .setPartition(0)
                        .setFetchOffset(position)
                        .setPartitionMaxBytes(1 << 20));
        FetchRequestData request =
                new FetchRequestData().setMaxWaitMs(0).setMinBytes(1).setMaxBytes(1 << 20);
        request.topics().add(topic);
        link.send(ApiKeys.FETCH, (short) FETCH_VERSION, request, TIMEOUT, true, answer -> {
            PartitionData data = answer == null
                    ? null
                    : ((FetchResponseData) answer)
                            .responses()
                            .get(0)
                            .partitions()
                            .get(0);
            if (data == null || data.errorCode() != Errors.NONE.code()) {
                if (data != null && !SimOutcomes.retriable(Errors.forCode(data.errorCode()))) {
                    throw new RuleBroken("V3 errors", Errors.forCode(data.errorCode()) + " reading " + name);
                }
                next(mine);
                return;
            }
            long read = take((MemoryRecords) data.records(), position);
            if (read < data.highWatermark() && read > position) {
                fetch(mine, read);
                return;
            }
            if (read < data.highWatermark()) {
                throw new RuleBroken("V1 catches up", name + ": nothing at " + read + " of " + data.highWatermark());
            }
            judge();
            next(mine);
        });
    }

    /** Where to read on. */
    private long take(MemoryRecords fetched, long position) {
        long next = position;
        for (MutableRecordBatch each : fetched.batches()) {
            if (!each.isValid()) {
                throw new RuleBroken("S8 no bad batch is served", name + "@" + each.baseOffset());
            }
            for (Record record : each) {
                if (record.offset() >= position) {
                    found.put(record.offset(), new Written(text(record.key()), text(record.value())));
                }
            }
            next = Math.max(next, each.lastOffset() + 1);
        }
        return next;
    }

    private void judge() {
        Map<String, Written> last = new TreeMap<>();
        found.forEach((offset, got) -> {
            if (!got.equals(log.get(offset))) {
                throw new RuleBroken(
                        "K2 offsets keep their records",
                        name + "@" + offset + ": " + got + ", written was " + log.get(offset));
            }
            last.put(got.key, got);
        });
        newest.forEach((key, expected) -> {
            Written got = last.get(key);
            boolean gone = got == null && expected.value == null;
            if (!gone && !expected.equals(got)) {
                throw new RuleBroken("K1 newest record of a key stays", name + " " + expected + ", found " + got);
            }
        });
        checked = !producing;
        net.count("compacted.passes");
        if (found.size() < log.size()) {
            net.count("compacted.cleaned-passes");
        }
        if (newest.size() > last.size()) {
            net.count("compacted.tombstones-gone");
        }
    }
}
