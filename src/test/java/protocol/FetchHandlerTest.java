package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import common.PartitionId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchRequestData.ReplicaState;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import replication.ReplicaShard.Read;
import replication.ReplicaShard.Reader;
import replication.ReplicaShard.SessionRead;
import storage.ReadBound;

/** Fetch over every version; sessions themselves are compared with Kafka's in services.FetchSessionsTest. */
class FetchHandlerTest {
    private final Broker broker = new Broker(2);

    @AfterEach
    void nothingIsLeftBehind() {
        broker.wire.connection.onClosed();
        broker.settle();
        assertEquals(0, broker.wire.memory.used());
        assertEquals(0, broker.wire.pool.live());
        assertEquals(0, broker.shard.readers(), "file references");
        assertEquals(0, broker.shard.parked());
    }

    private void append(int partition, String... values) {
        FakeShard.Log log = broker.log(partition);
        for (String value : values) {
            log.positions.add(log.file.append(Broker.batch(value).buffer()));
        }
    }

    private static FetchRequestData request(int version, int... partitions) {
        FetchRequestData request =
                new FetchRequestData().setMaxWaitMs(500).setMinBytes(1).setSessionEpoch(-1);
        FetchTopic topic = topic(version, "orders", Broker.ORDERS);
        for (int each : partitions) {
            topic.partitions().add(partition(each, 0));
        }
        request.topics().add(topic);
        return request;
    }

    private static FetchTopic topic(int version, String name, Uuid id) {
        return version >= 13 ? new FetchTopic().setTopicId(id) : new FetchTopic().setTopic(name);
    }

    private static FetchPartition partition(int partition, long offset) {
        return new FetchPartition()
                .setPartition(partition)
                .setFetchOffset(offset)
                .setPartitionMaxBytes(1 << 20);
    }

    private FetchResponseData fetch(int version, FetchRequestData request) {
        return (FetchResponseData) broker.ask(ApiKeys.FETCH, version, request);
    }

    private static PartitionData only(FetchResponseData response) {
        assertEquals(0, response.errorCode());
        assertEquals(1, response.responses().size());
        assertEquals(1, response.responses().get(0).partitions().size());
        return response.responses().get(0).partitions().get(0);
    }

    private static String values(PartitionData data) {
        StringBuilder all = new StringBuilder();
        for (Record each : ((MemoryRecords) data.records()).records()) {
            byte[] value = new byte[each.valueSize()];
            each.value().get(value);
            all.append(new String(value, java.nio.charset.StandardCharsets.UTF_8))
                    .append(' ');
        }
        return all.toString().trim();
    }

    @Test
    void recordsComeFromTheFile() {
        append(0, "a", "b", "c");
        for (short version : Broker.versions(ApiKeys.FETCH)) {
            FetchResponseData response = fetch(version, request(version, 0));
            PartitionData data = only(response);
            assertEquals("a b c", values(data), "version " + version);
            assertEquals(3, data.highWatermark());
            assertEquals(3, data.lastStableOffset());
            assertEquals(version >= 5 ? 0 : -1, data.logStartOffset());
            assertNull(data.abortedTransactions());
            assertEquals(0, response.sessionId());
            assertEquals(
                    version >= 13 ? Broker.ORDERS : Uuid.ZERO_UUID,
                    response.responses().get(0).topicId());
            assertEquals(
                    version >= 13 ? "" : "orders", response.responses().get(0).topic());
        }
    }

    @Test
    void noOtherIsolationLevelIsTakenForReadUncommitted() {
        append(0, "a");
        for (short version : Broker.versions(ApiKeys.FETCH)) {
            for (int level : new int[] {-1, 2}) {
                FetchResponseData response = fetch(version, request(version, 0).setIsolationLevel((byte) level));
                short error = version < 7 ? only(response).errorCode() : response.errorCode();
                assertEquals(Errors.INVALID_REQUEST.code(), error, "version " + version);
            }
        }
    }

    @Test
    void severalPartitionsKeepTheirOrderAndTheByteLimits() {
        append(0, "a");
        append(1, "b");
        append(2, "c");
        FetchRequestData request = request(12, 2, 0, 1);
        FetchResponseData response = fetch(12, request);
        assertEquals(1, response.responses().size());
        List<PartitionData> all = response.responses().get(0).partitions();
        assertEquals(
                List.of(2, 0, 1),
                all.stream().map(PartitionData::partitionIndex).toList());
        assertEquals("c", values(all.get(0)));
        assertEquals("b", values(all.get(2)));
        PartitionData first = fetch(12, request.setMaxBytes(1))
                .responses()
                .get(0)
                .partitions()
                .get(0);
        assertEquals("c", values(first), "the first batch comes whole");
        assertEquals(1, broker.shard.reads.get(1).maxBytes());
    }

    @Test
    void emptyPartitionsAreWaitedForAndNewRecordsEndTheWait() {
        for (short version : Broker.versions(ApiKeys.FETCH)) {
            FetchRequestData request = request(version, 1);
            request.topics()
                    .get(0)
                    .partitions()
                    .get(0)
                    .setFetchOffset(broker.log(1).end());
            broker.send(ApiKeys.FETCH, version, request);
            broker.settle();
            assertEquals(1, broker.shard.parked());
            assertTrue(broker.wire.transport.frames().isEmpty());
            append(1, "late" + version);
            broker.shard.timeOut();
            broker.settle();
            ByteBuffer frame = broker.wire.transport.frames().get(0);
            FetchResponseData response =
                    (FetchResponseData) Wire.response(ApiKeys.FETCH, version, frame.getInt(0), frame);
            assertEquals("late" + version, values(only(response)));
        }
    }

    @Test
    void aClosedConnectionEndsItsWaitsAndReleasesWhatTheyFound() {
        broker.send(ApiKeys.FETCH, 12, request(12, 0));
        broker.settle();
        assertEquals(1, broker.shard.parked());
        append(0, "unread");
        broker.wire.connection.onClosed();
        broker.settle();
        assertEquals(0, broker.shard.parked());
        assertEquals(0, broker.shard.readers());
    }

    @Test
    void answersBehindAFetchThatWaitsKeepTheirPlace() {
        append(1, "x");
        broker.send(ApiKeys.FETCH, 12, request(12, 0));
        broker.send(ApiKeys.FETCH, 12, request(12, 1));
        broker.settle();
        assertTrue(broker.wire.transport.frames().isEmpty());
        broker.shard.timeOut();
        broker.settle();
        List<ByteBuffer> frames = broker.wire.transport.frames();
        assertEquals(2, frames.size());
        assertEquals("", values(only((FetchResponseData) Wire.response(ApiKeys.FETCH, (short) 12, 1, frames.get(0)))));
        assertEquals("x", values(only((FetchResponseData) Wire.response(ApiKeys.FETCH, (short) 12, 2, frames.get(1)))));
    }

    @Test
    void errorsPerPartition() {
        for (short version : Broker.versions(ApiKeys.FETCH)) {
            Errors unknown = version >= 13 ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
            FetchRequestData nowhere =
                    new FetchRequestData().setSessionEpoch(-1).setMaxWaitMs(500).setMinBytes(1);
            nowhere.topics().add(topic(version, "nope", new Uuid(5, 5)));
            nowhere.topics().get(0).partitions().add(partition(0, 0));
            PartitionData data = only(fetch(version, nowhere));
            assertEquals(unknown.code(), data.errorCode());
            assertEquals(-1, data.highWatermark());
            assertEquals(
                    Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
                    only(fetch(version, request(version, 9))).errorCode());
            FetchRequestData beyond = request(version, 0);
            beyond.topics().get(0).partitions().get(0).setFetchOffset(99);
            assertEquals(
                    Errors.OFFSET_OUT_OF_RANGE.code(),
                    only(fetch(version, beyond)).errorCode());
            broker.log(2).failure = Failure.of(FailureCode.NOT_LEADER, "moved");
            FetchResponseData moved = fetch(version, request(version, 2));
            assertEquals(Errors.NOT_LEADER_OR_FOLLOWER.code(), only(moved).errorCode());
            if (version >= 16) {
                assertEquals(1, only(moved).currentLeader().leaderId());
                assertEquals("10.0.0.9", moved.nodeEndpoints().find(1).host());
            }
        }
    }

    @Test
    void readCommittedGetsAbortedTransactions() {
        append(0, "a");
        for (short version : Broker.versions(ApiKeys.FETCH)) {
            PartitionData data = only(fetch(version, request(version, 0).setIsolationLevel((byte) 1)));
            assertEquals(5, data.abortedTransactions().get(0).producerId());
        }
    }

    @Test
    void whoIsNoReplicaMayNotFetchAsOne() {
        append(0, "a");
        for (short version : Broker.versions(ApiKeys.FETCH)) {
            FetchRequestData request = request(version, 0);
            if (version >= 15) {
                request.setReplicaState(new ReplicaState().setReplicaId(2).setReplicaEpoch(1));
            } else {
                request.setReplicaId(2);
            }
            assertEquals(
                    Errors.NOT_LEADER_OR_FOLLOWER.code(),
                    only(fetch(version, request)).errorCode());
            if (version >= 9) {
                request.topics().get(0).partitions().get(0).setCurrentLeaderEpoch(3);
                assertEquals(
                        Errors.UNKNOWN_LEADER_EPOCH.code(),
                        only(fetch(version, request)).errorCode());
            }
        }
    }

    private static FetchRequestData ofReplica(int version, long offset, boolean byReplica) {
        FetchRequestData request = new FetchRequestData().setMaxWaitMs(500).setMinBytes(1);
        request.topics().add(topic(version, "copied", Broker.COPIED));
        request.topics().get(0).partitions().add(partition(0, offset));
        if (byReplica && version >= 15) {
            request.setReplicaState(new ReplicaState().setReplicaId(2).setReplicaEpoch(77));
        } else if (byReplica) {
            request.setReplicaId(2);
        }
        return request;
    }

    @Test
    void aReplicaReadsToTheEndWhateverIsolationItNames() {
        FakeShard.Log log = broker.shard.log(new PartitionId(Broker.COPIED, 0));
        log.positions.add(log.file.append(Broker.batch("a").buffer()));
        for (short version : Broker.versions(ApiKeys.FETCH)) {
            FetchRequestData request = ofReplica(version, 0, true).setIsolationLevel((byte) 1);
            assertEquals("a", values(only(fetch(version, request))), "version " + version);
            Read asked = broker.shard.reads.get(broker.shard.reads.size() - 1);
            assertEquals(ReadBound.LOG_END, asked.bound());
            assertEquals(new Reader(2, version >= 15 ? 77 : -1), asked.reader());
        }
    }

    @Test
    void whoIsOutOfRangeIsToldWhereTheLogStartsIfItIsAReplica() {
        FakeShard.Log log = broker.shard.log(new PartitionId(Broker.COPIED, 0));
        log.positions.add(log.file.append(Broker.batch("a").buffer()));
        log.positions.add(log.file.append(Broker.batch("b").buffer()));
        log.logStart = 1;
        for (short version : Broker.versions(ApiKeys.FETCH)) {
            for (boolean byReplica : new boolean[] {false, true}) {
                PartitionData data = only(fetch(version, ofReplica(version, 0, byReplica)));
                assertEquals(Errors.OFFSET_OUT_OF_RANGE.code(), data.errorCode());
                assertEquals(byReplica && version >= 5 ? 1 : -1, data.logStartOffset(), "version " + version);
                assertEquals(-1, data.highWatermark());
            }
        }
    }

    @Test
    void aReplicasNextRequestEndsTheWaitOfItsLastOne() {
        for (int version = 13; version <= ApiKeys.FETCH.latestVersion(false); version++) {
            for (boolean byReplica : new boolean[] {true, false}) {
                FetchResponseData full = fetch(
                        version,
                        ofReplica(version, 0, byReplica).setMaxWaitMs(0).setSessionEpoch(0));
                FetchRequestData waiting = ofReplica(version, 0, byReplica)
                        .setSessionId(full.sessionId())
                        .setSessionEpoch(1);
                broker.send(ApiKeys.FETCH, version, waiting);
                broker.settle();
                assertEquals(1, broker.shard.parked());
                broker.send(ApiKeys.FETCH, version, waiting.duplicate().setSessionEpoch(2));
                broker.settle();
                List<ByteBuffer> frames = broker.wire.transport.frames();
                assertEquals(byReplica ? 1 : 0, frames.size(), "a consumer's request waits as long as it likes");
                assertEquals(byReplica ? 1 : 2, broker.shard.parked());
                broker.shard.timeOut();
                broker.settle();
                frames = new ArrayList<>(frames);
                frames.addAll(broker.wire.transport.frames());
                Errors error = byReplica ? Errors.NONE : Errors.INVALID_FETCH_SESSION_EPOCH;
                assertEquals(
                        error.code(), ((FetchResponseData) broker.response(version, 1, frames.get(0))).errorCode());
                assertEquals(0, ((FetchResponseData) broker.response(version, 0, frames.get(1))).errorCode());
                fetch(
                        version,
                        new FetchRequestData().setSessionId(full.sessionId()).setSessionEpoch(-1));
            }
        }
    }

    /** What the shard is told of the last request of a session: partition@offset. */
    private static List<String> told(SessionRead request) {
        return request.changed().stream()
                .map(each -> each.partition().partition() + "@" + each.fetchOffset())
                .toList();
    }

    @Test
    void ofAReplicasSessionTheShardIsToldWhatChanges() {
        FakeShard.Log log = broker.shard.log(new PartitionId(Broker.COPIED, 0));
        FetchRequestData first = ofReplica(17, 0, true).setMaxWaitMs(0).setSessionEpoch(0);
        int session = fetch(17, first).sessionId();
        List<SessionRead> asked = broker.shard.newsAsked;
        assertEquals(0, asked.size());
        FetchRequestData again =
                first.duplicate().setSessionId(session).setSessionEpoch(1).setTopics(List.of());
        assertEquals(0, fetch(17, again).responses().size());
        assertEquals(List.of("0@0"), told(asked.get(0)), "the first time all");
        assertEquals(0, fetch(17, again.setSessionEpoch(2)).responses().size());
        assertEquals(List.of(), told(asked.get(1)));
        log.positions.add(log.file.append(Broker.batch("a").buffer()));
        assertEquals("a", values(only(fetch(17, again.setSessionEpoch(3)))));
        FetchRequestData moved =
                ofReplica(17, 1, true).setMaxWaitMs(0).setSessionId(session).setSessionEpoch(4);
        moved.topics().get(0).partitions().add(partition(1, 0));
        PartitionData unknown = only(fetch(17, moved));
        assertEquals(List.of("0@1"), told(asked.get(3)));
        assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), unknown.errorCode());
        assertEquals(
                Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
                only(fetch(17, again.setSessionEpoch(5))).errorCode(),
                "as long as it is in the session");
        FetchRequestData forget = again.duplicate().setSessionEpoch(6);
        forget.forgottenTopicsData()
                .add(new ForgottenTopic().setTopicId(Broker.COPIED).setPartitions(List.of(1)));
        assertEquals(0, fetch(17, forget).responses().size());
        assertEquals(List.of(), asked.get(5).forgotten(), "the shard never knew it");
        FetchRequestData last = again.duplicate().setSessionEpoch(7);
        last.forgottenTopicsData()
                .add(new ForgottenTopic().setTopicId(Broker.COPIED).setPartitions(List.of(0)));
        assertEquals(0, fetch(17, last).sessionId(), "a session ends with its last partition");
        broker.settle();
        assertEquals(0, broker.shard.sessions.size());
    }

    @Test
    void theShardForgetsASessionThatIsReplaced() {
        FetchRequestData first = ofReplica(17, 0, true).setMaxWaitMs(0).setSessionEpoch(0);
        int session = fetch(17, first).sessionId();
        fetch(17, first.duplicate().setSessionId(session).setSessionEpoch(1));
        assertEquals(1, broker.shard.sessions.size());
        int next = fetch(17, first.duplicate().setSessionId(session)).sessionId();
        assertNotEquals(session, next);
        broker.settle();
        assertEquals(0, broker.shard.sessions.size());
    }

    @Test
    void aConsumersRackReachesTheShardAndItIsToldWhomToRead() {
        append(0, "a");
        broker.shard.nearer = 2;
        for (short version : Broker.versions(ApiKeys.FETCH)) {
            FetchRequestData request = request(version, 0);
            if (version >= 11) {
                request.setRackId("north");
            }
            PartitionData data = only(fetch(version, request));
            Reader reader =
                    broker.shard.reads.get(broker.shard.reads.size() - 1).reader();
            assertEquals(version >= 11 ? new Reader(-1, -1, "north") : Reader.CONSUMER, reader);
            if (version >= 11) {
                assertEquals(2, data.preferredReadReplica());
                assertEquals("", values(data));
                assertEquals(1, data.highWatermark());
                only(fetch(version, request.setRackId("")));
                reader = broker.shard.reads.get(broker.shard.reads.size() - 1).reader();
                assertEquals(Reader.ANYWHERE, reader);
            }
        }
    }

    @Test
    void incrementalSessions() {
        for (int version = 7; version <= ApiKeys.FETCH.latestVersion(false); version++) {
            append(0, "a");
            FetchRequestData first = request(version, 0, 1).setSessionEpoch(0);
            first.topics()
                    .get(0)
                    .partitions()
                    .get(1)
                    .setFetchOffset(broker.log(1).end());
            FetchResponseData full = fetch(version, first);
            assertNotEquals(0, full.sessionId());
            assertEquals(2, full.responses().get(0).partitions().size());
            FetchRequestData next = new FetchRequestData()
                    .setSessionId(full.sessionId())
                    .setSessionEpoch(1)
                    .setMaxWaitMs(0);
            FetchTopic forward = topic(version, "orders", Broker.ORDERS);
            forward.partitions().add(partition(0, broker.log(0).end()));
            next.topics().add(forward);
            FetchResponseData nothing = fetch(version, next);
            assertEquals(full.sessionId(), nothing.sessionId());
            assertEquals(0, nothing.responses().size(), "all of it was told before");
            append(1, "b" + version);
            FetchRequestData again = new FetchRequestData()
                    .setSessionId(full.sessionId())
                    .setSessionEpoch(2)
                    .setMaxWaitMs(0);
            assertEquals("b" + version, values(only(fetch(version, again))));
            assertEquals(
                    Errors.INVALID_FETCH_SESSION_EPOCH.code(),
                    fetch(version, again).errorCode());
            FetchResponseData closed = fetch(
                    version,
                    new FetchRequestData().setSessionId(full.sessionId()).setSessionEpoch(-1));
            assertEquals(0, closed.errorCode());
            assertEquals(
                    Errors.FETCH_SESSION_ID_NOT_FOUND.code(),
                    fetch(version, again).errorCode());
        }
        assertEquals(0, broker.sessions.size());
        assertFalse(broker.wire.transport.paused());
    }
}
