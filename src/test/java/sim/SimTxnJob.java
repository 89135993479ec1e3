package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * A process that reads committed records, writes one for each, and commits what it has read in the same transaction: each input record comes out once. What it
 * does not know (after an abort, with new partitions) it asks for, and waits while another process's transaction is open (require_stable).
 */
final class SimTxnJob implements SimTxnSlot.Instance {
    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final SimTxnId id;
    private final Spec spec;
    private final SimTxnClient client;
    private final SimTxnMember member;
    private final SimLink input;
    private final TreeMap<Integer, Long> positions = new TreeMap<>();
    private SimTxnClient.Member reading;
    private List<Integer> held = List.of();
    private boolean hurried;
    private boolean over;

    /**
     * @param input partitions by number, of one topic
     * @param consumer its group is of KIP-848
     * @param done by partition, what the job has committed at least; shared by all its processes
     */
    record Spec(
            List<SimTxnPartition> input,
            List<SimTxnPartition> output,
            Map<Integer, Long> done,
            int maxRecords,
            boolean consumer,
            SimTxnMember.Spec member,
            SimTxnClient.Spec client) {}

    /** What separates the parts of an output record: of which input record it is, and by which transaction. */
    static final char OF = '~';

    SimTxnJob(SimNet net, SimRandom random, String name, SimTxnId id, Spec spec) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.id = id;
        this.spec = spec;
        this.client = new SimTxnClient(net, random, name, id, spec.client);
        this.member = spec.consumer
                ? new SimTxnConsumerMember(net, random, name, spec.member)
                : new SimTxnClassicMember(net, random, name, spec.member);
        this.input = new SimLink(net, random, name + "/input", () -> {});
    }

    @Override
    public void start() {
        client.start();
        member.start();
        input.connect();
        next();
    }

    @Override
    public void kill() {
        over = true;
        client.stop();
        member.stop();
        input.stop();
    }

    @Override
    public boolean over() {
        return over;
    }

    @Override
    public void quiesce() {
        hurried = true;
    }

    @Override
    public String unfinished() {
        if (over) {
            return name + " is fenced";
        }
        for (SimTxnPartition each : spec.input) {
            long done = spec.done.getOrDefault(each.partition, 0L);
            if (done < each.knownEnd()) {
                return name + ": its job has done " + each.name() + " up to " + done + ", records are known up to "
                        + each.knownEnd() + "; it has open " + client.open();
            }
        }
        return client.open() == null ? null : name + " has open " + client.open();
    }

    private void pause(int millis, Runnable then) {
        net.scheduler().after((1L + random.below(millis)) * SimScheduler.MILLI, null, "txn-job", () -> {
            if (!over) {
                then.run();
            }
        });
    }

    private void then(SimTxnClient.Outcome outcome, Runnable done) {
        switch (outcome) {
            case DONE -> done.run();
            case ABORT ->
                client.end(false, ended -> {
                    reading = null;
                    then(ended, this::next);
                });
            case OVER -> {
                net.count("txn.fenced");
                kill();
            }
        }
    }

    private void next() {
        if (over) {
            return;
        }
        if (client.needsInit()) {
            client.init(outcome -> then(outcome, this::next));
        } else if (!member.stable() || !member.coordination().ready() || !input.up()) {
            pause(30, this::next);
        } else if (reading == null || !reading.equals(member.identity()) || !held.equals(member.partitions())) {
            findPositions(member.identity());
        } else if (positions.isEmpty()) {
            pause(100, this::next);
        } else {
            read();
        }
    }

    private void findPositions(SimTxnClient.Member as) {
        List<Integer> partitions = member.partitions();
        positions.clear();
        held = partitions;
        if (partitions.isEmpty()) {
            reading = as;
            pause(20, this::next);
            return;
        }
        OffsetFetchRequestData request = new OffsetFetchRequestData()
                .setGroupId(as.group())
                .setRequireStable(true)
                .setTopics(List.of(new OffsetFetchRequestTopic()
                        .setName(spec.input.get(0).topic)
                        .setPartitionIndexes(partitions)));
        member.coordination().link().send(ApiKeys.OFFSET_FETCH, (short) 7, request, 3_000, true, answer -> {
            if (over) {
                return;
            }
            if (answer != null && found((OffsetFetchResponseData) answer)) {
                reading = as;
            } else {
                positions.clear();
            }
            pause(20, this::next);
        });
    }

    private boolean found(OffsetFetchResponseData answer) {
        Errors error = Errors.forCode(answer.errorCode());
        if (error == Errors.NONE) {
            for (OffsetFetchResponsePartition each : answer.topics().get(0).partitions()) {
                if (each.errorCode() != Errors.NONE.code()) {
                    error = Errors.forCode(each.errorCode());
                }
                positions.put(each.partitionIndex(), Math.max(0, each.committedOffset()));
            }
        }
        net.count("txn-job-offsets." + error);
        if (error != Errors.NONE
                && error != Errors.UNSTABLE_OFFSET_COMMIT
                && !member.coordination().later(error)) {
            throw new RuleBroken("V3 errors", error + " for OffsetFetch of " + name);
        }
        return error == Errors.NONE;
    }

    private void read() {
        int most = hurried || random.chance(0.5) ? 1 << 20 : 200 + random.below(2_000);
        FetchTopic topic = new FetchTopic().setTopic(spec.input.get(0).topic);
        positions.forEach((partition, position) -> topic.partitions()
                .add(new FetchPartition()
                        .setPartition(partition)
                        .setFetchOffset(position)
                        .setPartitionMaxBytes(most)));
        FetchRequestData request = new FetchRequestData()
                .setMaxWaitMs(random.below(100))
                .setMinBytes(1)
                .setMaxBytes(most)
                .setIsolationLevel((byte) 1)
                .setTopics(List.of(topic))
                .setSessionEpoch(-1);
        input.send(ApiKeys.FETCH, (short) random.between(4, 12), request, 3_000, true, answer -> {
            if (!over) {
                Map<Integer, List<Long>> found = answer == null ? Map.of() : fetched(answer);
                if (found.isEmpty()) {
                    positions.forEach((partition, position) -> spec.done.merge(partition, position, Math::max));
                    pause(50, this::next);
                } else {
                    process(found);
                }
            }
        });
    }

    /** Offsets of records to be processed, by partition; positions go past those that are not. */
    private Map<Integer, List<Long>> fetched(ApiMessage message) {
        FetchResponseData answer = (FetchResponseData) message;
        Map<Integer, List<Long>> found = new LinkedHashMap<>();
        int room = spec.maxRecords;
        for (PartitionData each : answer.responses().isEmpty()
                ? List.<PartitionData>of()
                : answer.responses().get(0).partitions()) {
            Errors error = Errors.forCode(each.errorCode());
            if (error != Errors.NONE) {
                net.count("txn-job-fetch." + error);
                SimTxnPartition troubled = spec.input.get(each.partitionIndex());
                if (troubled.lossy() && error == Errors.OFFSET_OUT_OF_RANGE) {
                    positions.put(each.partitionIndex(), 0L);
                } else if (troubled.lossy() && error == Errors.CORRUPT_MESSAGE) {
                    troubled.torn();
                    positions.merge(each.partitionIndex(), 1L, Long::sum);
                } else if (!SimOutcomes.retriable(error)) {
                    throw new RuleBroken("V3 errors", error + " for a fetch of " + name);
                }
                continue;
            }
            int index = each.partitionIndex();
            SimTxnPartition partition = spec.input.get(index);
            for (SimTxnEntry entry : SimTxnFetches.entries(partition, each, positions.get(index), true)) {
                if (entry.visible() && room-- <= 0) {
                    break;
                }
                partition.judged(entry, name, input.answering(each));
                positions.put(index, entry.offset() + 1);
                if (entry.visible()) {
                    found.computeIfAbsent(index, none -> new ArrayList<>()).add(entry.offset());
                }
            }
        }
        return found;
    }

    private void process(Map<Integer, List<Long>> found) {
        client.begin(id.begin());
        Map<SimTxnPartition, List<String>> outputs = new LinkedHashMap<>();
        found.forEach((index, offsets) -> offsets.forEach(offset -> outputs.computeIfAbsent(
                        spec.output.get((int) ((index + offset) % spec.output.size())), none -> new ArrayList<>())
                .add(spec.input.get(index).name() + "@" + offset + OF + client.open().name)));
        Map<Integer, Long> read = new TreeMap<>();
        found.keySet().forEach(index -> read.put(index, positions.get(index)));
        int[] pending = {outputs.size()};
        SimTxnClient.Outcome[] worst = {SimTxnClient.Outcome.DONE};
        outputs.forEach((partition, values) -> client.produce(partition, values, outcome -> {
            worst[0] = outcome.compareTo(worst[0]) > 0 ? outcome : worst[0];
            if (--pending[0] == 0) {
                then(worst[0], () -> commit(read));
            }
        }));
    }

    private void commit(Map<Integer, Long> read) {
        if (!hurried && random.chance(0.1)) {
            then(SimTxnClient.Outcome.ABORT, this::next);
            return;
        }
        client.offsets(
                reading,
                spec.input.get(0).topic,
                read,
                outcome -> then(
                        outcome,
                        () -> client.end(true, ended -> {
                            net.count("txn.job-commits");
                            then(ended, () -> pause(20, this::next));
                        })));
    }
}
