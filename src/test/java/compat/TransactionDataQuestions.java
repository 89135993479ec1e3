package compat;

import compat.TransactionSteps.Writer;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** What is asked about transactions where records are: writing in them, reading around them, and ending them by hand. */
final class TransactionDataQuestions {
    private static final String TOPIC = "transactional";
    private static final short FETCH_IDS = 13;
    private static final short ENDS_ABOVE = 2;

    private final Conversation talk;
    private final TransactionSteps steps;
    private final Map<String, Writer> writers = new HashMap<>();

    private TransactionDataQuestions(Conversation talk) {
        this.talk = talk;
        this.steps = new TransactionSteps(talk, TOPIC);
    }

    static void ask(Conversation talk) throws IOException {
        talk.askLatest(
                "create a topic for transactional records",
                ApiKeys.CREATE_TOPICS,
                AdminQuestions.topics(AdminQuestions.topic(TOPIC, 12, 1)));
        MetadataRequestData whatIsItsId = new MetadataRequestData();
        whatIsItsId.topics().add(new MetadataRequestTopic().setName(TOPIC));
        talk.askLatest("its id", ApiKeys.METADATA, whatIsItsId);
        TransactionDataQuestions questions = new TransactionDataQuestions(talk);
        talk.awaitCoordinator("any");
        questions.steps.awaitCoordinator();
        questions.reads();
        questions.writes();
        questions.writesInEndedTransactions();
        questions.writesOfBoth();
        questions.markers();
        questions.markersWronglyPlaced();
    }

    // ---- Fetch, ListOffsets, DescribeProducers

    private FetchRequestData fetch(short version, int partition, long offset, int isolation) {
        FetchTopic wanted =
                version >= FETCH_IDS ? new FetchTopic().setTopicId(talk.idOf(TOPIC)) : new FetchTopic().setTopic(TOPIC);
        wanted.partitions()
                .add(new FetchPartition()
                        .setPartition(partition)
                        .setFetchOffset(offset)
                        .setPartitionMaxBytes(1 << 20));
        return new FetchRequestData()
                .setMaxWaitMs(0)
                .setMinBytes(1)
                .setIsolationLevel((byte) isolation)
                .setTopics(List.of(wanted));
    }

    private static ListOffsetsRequestData offsets(int partition, long time, int isolation) {
        ListOffsetsTopic topic = new ListOffsetsTopic().setName(TOPIC);
        topic.partitions()
                .add(new ListOffsetsPartition().setPartitionIndex(partition).setTimestamp(time));
        return new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setIsolationLevel((byte) isolation)
                .setTopics(List.of(topic));
    }

    private static DescribeProducersRequestData producers(Integer... partitions) {
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        request.topics().add(new TopicRequest().setName(TOPIC).setPartitionIndexes(List.of(partitions)));
        return request;
    }

    private void looked(String label, int partition) {
        for (int isolation = 0; isolation < 2; isolation++) {
            int level = isolation;
            for (long offset : new long[] {0, 1, 3, 6, 8}) {
                talk.ask(
                        "fetch from " + offset + " at isolation " + level + ", " + label,
                        ApiKeys.FETCH,
                        (v, s) -> fetch(v, partition, offset, level));
            }
            for (long time : new long[] {-1, -2, -3, 0, TransactionSteps.TIME + 1}) {
                talk.ask(
                        "offset at " + time + " at isolation " + level + ", " + label,
                        ApiKeys.LIST_OFFSETS,
                        (v, s) -> v < 2 && level > 0 ? null : offsets(partition, time, level));
            }
        }
        talk.ask("fetch at isolation 2, " + label, ApiKeys.FETCH, (v, s) -> fetch(v, partition, 0, 2));
        talk.ask(
                "offset at isolation 2, " + label,
                ApiKeys.LIST_OFFSETS,
                (v, s) -> v < 2 ? null : offsets(partition, -1, 2));
        talk.ask("producers " + label, ApiKeys.DESCRIBE_PRODUCERS, (v, s) -> producers(partition));
    }

    /** Offsets: 0 aborted, 1 its marker, 2 committed, 3 its marker, 4 aborted, 5 open, 6 the marker of 4, 7 not transactional. */
    private void reads() {
        int partition = 0;
        looked("empty", partition);
        Writer one = steps.produced(steps.init("read-1"), TransactionSteps.PRODUCE_2, partition, 0);
        looked("one open", partition);
        one = steps.ended(one, TransactionSteps.END_2, false);
        one = steps.ended(steps.produced(one, TransactionSteps.PRODUCE_2, partition, 0), TransactionSteps.END_2, true);
        looked("none open", partition);
        one = steps.produced(one, TransactionSteps.PRODUCE_2, partition, 0);
        Writer two =
                steps.produced(steps.added(steps.init("read-2"), partition), TransactionSteps.PRODUCE_1, partition, 0);
        steps.ended(one, TransactionSteps.END_2, false);
        talk.step(
                ApiKeys.PRODUCE,
                TransactionSteps.PRODUCE_2,
                steps.produce(
                        TransactionSteps.PRODUCE_2,
                        null,
                        partition,
                        MemoryRecords.withRecords(
                                org.apache.kafka.common.compress.Compression.NONE,
                                new org.apache.kafka.common.record.internal.SimpleRecord(
                                        TransactionSteps.TIME,
                                        "plain".getBytes(java.nio.charset.StandardCharsets.UTF_8)))));
        looked("all kinds", partition);
        steps.ended(two, TransactionSteps.END_1, true);
        looked("at last", partition);
    }

    // ---- Produce

    /**
     * By a writer of its own for each version; the claim is what it says it is. False claims go elsewhere: Kafka remembers the sequence of a batch whose
     * producer it could not verify, and then refuses that of the right one as out of order.
     */
    private void written(
            String label, UnaryOperator<Writer> prepare, UnaryOperator<Writer> claim, int partition, int sequence) {
        talk.ask("write " + label, ApiKeys.PRODUCE, (v, s) -> {
            String id = "writes-" + s;
            Writer writer = prepare.apply(writers.computeIfAbsent(id, steps::init));
            writers.put(id, writer);
            Writer claimed = claim.apply(writer);
            return claimed.epoch() < 0
                    ? null
                    : steps.produce(v, writer.id(), partition, TransactionSteps.batch(claimed, sequence));
        });
    }

    private void writes() {
        UnaryOperator<Writer> as = UnaryOperator.identity();
        // Not begun: the first protocol may not, the second may.
        written("before it was added", as, as, 1, 0);
        written("in a later sequence before it was added", as, as, 2, 5);
        written("before it was added, by another producer", as, writer -> writer.producer(77_777), 5, 0);
        written("before it was added, in a higher epoch", as, writer -> writer.epoch(writer.epoch() + 3), 5, 0);
        written("when it was added", writer -> steps.added(writer, 1), as, 1, 0);
        written("the next", as, as, 1, 1);
        written("the same again", as, as, 1, 1);
        written("with a gap", as, as, 1, 7);
        written("another partition", as, as, 3, 0);
        written("in a higher epoch", as, writer -> writer.epoch(writer.epoch() + 3), 5, 0);
        talk.ask(
                "write by nobody",
                ApiKeys.PRODUCE,
                (v, s) -> steps.produce(
                        v, "nobody", 1, TransactionSteps.batch(new Writer("nobody", 66_000, (short) 0), 0)));
        talk.ask(
                "write by the nameless",
                ApiKeys.PRODUCE,
                (v, s) -> steps.produce(v, "", 1, TransactionSteps.batch(new Writer("", 66_000, (short) 0), 0)));
    }

    /** After each end by the first protocol the epoch is the same, and after each by the second it is not. */
    private void writesInEndedTransactions() {
        for (short endVersion : new short[] {TransactionSteps.END_1, TransactionSteps.END_2}) {
            for (boolean commit : new boolean[] {true, false}) {
                String what = (commit ? "committed" : "aborted") + " by v" + endVersion;
                UnaryOperator<Writer> end = writer -> steps.ended(steps.added(writer, 1), endVersion, commit);
                written("the sequence that follows one " + what, end, writer -> writer, 1, 2);
                written("as before what was " + what, end, writer -> writer.epoch(writer.epoch() - 1), 1, 2);
                written("at the beginning after one " + what, end, writer -> writer, 1, 0);
            }
        }
        talk.ask("write as one that was fenced", ApiKeys.PRODUCE, (v, s) -> {
            String id = "zombie-" + s;
            Writer old = steps.produced(steps.added(steps.init(id), 4), TransactionSteps.PRODUCE_1, 4, 0);
            steps.initOnce(id);
            return steps.produce(v, id, 4, TransactionSteps.batch(old, 1));
        });
        talk.ask("write elsewhere as one that was fenced", ApiKeys.PRODUCE, (v, s) -> {
            String id = "zombie-2-" + s;
            Writer old = steps.produced(steps.added(steps.init(id), 4), TransactionSteps.PRODUCE_1, 4, 0);
            steps.initOnce(id);
            return steps.produce(v, id, 5, TransactionSteps.batch(old, 0));
        });
    }

    /** With and without transactions. */
    private void writesOfBoth() {
        talk.ask("write outside of an open transaction", ApiKeys.PRODUCE, (v, s) -> {
            Writer open = steps.produced(steps.added(steps.init("both-" + s), 4), TransactionSteps.PRODUCE_1, 4, 0);
            writers.put("both-" + s, open);
            return steps.produce(v, null, 4, TransactionSteps.plainBatch(open, 1));
        });
        talk.ask(
                "write outside of it where there is none",
                ApiKeys.PRODUCE,
                (v, s) -> steps.produce(v, null, 5, TransactionSteps.plainBatch(writers.get("both-" + s), 0)));
        talk.ask(
                "write outside of an open transaction with its name",
                ApiKeys.PRODUCE,
                (v, s) -> steps.produce(v, "both-" + s, 4, TransactionSteps.plainBatch(writers.get("both-" + s), 1)));
        talk.ask(
                "write in a transaction without its name",
                ApiKeys.PRODUCE,
                (v, s) -> steps.produce(v, null, 4, TransactionSteps.batch(writers.get("both-" + s), 1)));
        talk.ask(
                "write in a transaction under another name",
                ApiKeys.PRODUCE,
                (v, s) -> steps.produce(v, "writes-" + s, 6, TransactionSteps.batch(writers.get("both-" + s), 0)));
        talk.ask(
                "write in a transaction that waits for one ack",
                ApiKeys.PRODUCE,
                (v, s) -> steps.produce(v, "both-" + s, 4, TransactionSteps.batch(writers.get("both-" + s), 1))
                        .setAcks((short) 1));
    }

    // ---- WriteTxnMarkers

    private static WritableTxnMarker marker(Writer writer, boolean commit, String topic, Integer... partitions) {
        return new WritableTxnMarker()
                .setProducerId(writer.producerId())
                .setProducerEpoch(writer.epoch())
                .setTransactionResult(commit)
                .setCoordinatorEpoch(0)
                .setTopics(
                        List.of(new WritableTxnMarkerTopic().setName(topic).setPartitionIndexes(List.of(partitions))));
    }

    private static WriteTxnMarkersRequestData request(WritableTxnMarker... all) {
        return new WriteTxnMarkersRequestData().setMarkers(List.of(all));
    }

    /** Each id in a partition of its own: where one broker writes a marker and the other does not, the next would differ too. */
    private void marked(String label, int partition, UnaryOperator<WritableTxnMarker> change) {
        String id = "marked-" + partition + "-";
        talk.ask("mark " + label + ", " + id, ApiKeys.WRITE_TXN_MARKERS, (v, s) -> {
            Writer writer = writers.computeIfAbsent(
                    id + s,
                    name -> steps.produced(
                            steps.added(steps.init(name), partition), TransactionSteps.PRODUCE_1, partition, 0));
            WritableTxnMarker marker = change.apply(marker(writer, false, TOPIC, partition));
            return marker.transactionVersion() > 0 && v < ENDS_ABOVE ? null : request(marker);
        });
        talk.ask(
                "producers after mark " + label + ", " + id,
                ApiKeys.DESCRIBE_PRODUCERS,
                (v, s) -> producers(partition));
        talk.ask(
                "end after mark " + label + ", " + id,
                ApiKeys.LIST_OFFSETS,
                (v, s) -> v == 5 ? offsets(partition, -1, 1) : null);
    }

    private static WritableTxnMarker above(WritableTxnMarker marker, int by) {
        return marker.setProducerEpoch((short) (marker.producerEpoch() + by));
    }

    private void markers() {
        marked("by a lower epoch", 8, marker -> above(marker, -1));
        marked("by its epoch", 8, marker -> marker);
        marked("by a higher epoch", 8, marker -> above(marker, 3));
        marked(
                "by a coordinator that there is not",
                8,
                marker -> above(marker, 4).setCoordinatorEpoch(2));
        marked("by an older coordinator", 8, marker -> above(marker, 5).setCoordinatorEpoch(1));
        marked("by its epoch as of version 2", 9, marker -> marker.setTransactionVersion((byte) 2));
        marked(
                "by a lower epoch as of version 2",
                9,
                marker -> above(marker, -1).setTransactionVersion((byte) 2));
        marked(
                "by the next epoch as of version 2",
                9,
                marker -> above(marker, 1).setTransactionVersion((byte) 2));
        marked("again as of version 2", 9, marker -> above(marker, 1).setTransactionVersion((byte) 2));
        marked(
                "a transaction that has ended as of version 2",
                9,
                marker -> above(marker, 2).setTransactionVersion((byte) 2));
        marked("a first time", 10, marker -> marker);
        marked("a second time", 10, marker -> marker);
        marked("a first time", 11, marker -> marker);
        marked("with the other result", 11, marker -> marker.setTransactionResult(true));
    }

    private void markersWronglyPlaced() {
        ApiKeys key = ApiKeys.WRITE_TXN_MARKERS;
        Writer nobody = new Writer("nobody", 88_000, (short) 0);
        talk.ask("mark nothing", key, (v, s) -> request());
        talk.ask("mark no partitions", key, (v, s) -> request(marker(nobody, true, TOPIC)));
        talk.ask(
                "mark no topics",
                key,
                (v, s) -> request(marker(nobody, true, TOPIC).setTopics(List.of())));
        talk.ask("mark an unknown producer", key, (v, s) -> request(marker(nobody, true, TOPIC, 6)));
        talk.ask("mark nobody's topic", key, (v, s) -> request(marker(nobody, true, "nobody", 0)));
        talk.ask("mark no partition", key, (v, s) -> request(marker(nobody, true, TOPIC, 6, 99, -1)));
        talk.ask("mark offsets", key, (v, s) -> request(marker(nobody, true, "__consumer_offsets", 0, 99)));
        talk.ask("mark transactions", key, (v, s) -> request(marker(nobody, true, "__transaction_state", 0)));
        talk.ask("mark a negative epoch", key, (v, s) -> request(marker(nobody.epoch(-1), true, TOPIC, 6)));
        talk.ask("mark a negative producer", key, (v, s) -> request(marker(nobody.producer(-1), true, TOPIC, 6)));
        talk.ask(
                "mark by a negative coordinator epoch",
                key,
                (v, s) ->
                        request(marker(nobody.producer(88_001), true, TOPIC, 6).setCoordinatorEpoch(-1)));
        talk.ask(
                "mark for several",
                key,
                (v, s) -> request(
                        marker(nobody.producer(88_002), true, TOPIC, 6, 5),
                        marker(nobody.producer(88_003), false, TOPIC, 6)));
        talk.ask("producers of what was marked", ApiKeys.DESCRIBE_PRODUCERS, (v, s) -> producers(5, 6, 7));
    }
}
