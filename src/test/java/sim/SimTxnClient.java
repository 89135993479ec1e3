package sim;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * The transactional part of one producer, of the first protocol or the second (KIP-890). Sends each request until it has an answer that says something, on new
 * connections, and judges what it is told: nothing may be answered with success that another producer of the same id has fenced (T3), and
 * a refusal must have a reason.
 */
final class SimTxnClient {
    /** What came of a step: done; the transaction must be aborted; or another producer has the id. */
    enum Outcome {
        DONE,
        ABORT,
        OVER
    }

    /**
     * @param second its protocol is V2
     * @param timeoutMillis transaction.timeout.ms
     * @param patienceMillis after which it closes a connection that does not answer
     * @param lenient clocks jump, requests come late again, or power cuts take records: a transaction may end at any time
     */
    record Spec(boolean second, int timeoutMillis, int patienceMillis, int padding, boolean lenient) {}

    /** A member of a group that commits offsets (KIP-447). */
    record Member(String group, String memberId, int generation) {
        static Member alone(String group) {
            return new Member(group, "", -1);
        }
    }

    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final SimTxnId id;
    private final Spec spec;
    private final SimTxnVersions versions;
    private final SimCoordination coordination;
    private final Map<SimTxnPartition, Integer> sequences = new LinkedHashMap<>();
    private final Set<SimTxnPartition> added = new LinkedHashSet<>();
    private SimTxnId.Claim claim;
    private long producerId = -1;
    private short epoch = -1;
    private SimTxn open;
    private long begunAt;
    /** Something of the first protocol went wrong since it got its epoch. */
    private boolean unclean;
    /** A copy of its own request for the id may still come, and fence it. */
    private boolean haunted;

    private boolean stopped;

    SimTxnClient(SimNet net, SimRandom random, String name, SimTxnId id, Spec spec) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.id = id;
        this.spec = spec;
        this.versions = new SimTxnVersions(random, spec.second);
        this.coordination = new SimCoordination(
                net,
                random,
                name,
                org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType.TRANSACTION,
                id.name,
                () -> {});
    }

    void start() {
        coordination.start();
    }

    /** As a process that was killed: nothing more is sent, no callback comes any more. */
    void stop() {
        stopped = true;
        coordination.stop();
    }

    SimTxn open() {
        return open;
    }

    // ---- requests, sent until they are answered

    /** One request. */
    private final class Call {
        private final ApiKeys key;
        private final short version;
        private final ApiMessage request;
        private final Function<ApiMessage, Errors> read;
        private final BiConsumer<Errors, ApiMessage> then;
        private final boolean mayGiveUp;
        private long firstSentAt = Long.MAX_VALUE;
        /** An attempt has no answer, or one that leaves it open whether it was done. */
        private boolean unknown;

        private Call(
                ApiKeys key,
                short version,
                ApiMessage request,
                Function<ApiMessage, Errors> read,
                BiConsumer<Errors, ApiMessage> then) {
            this.key = key;
            this.version = version;
            this.request = request;
            this.read = read;
            this.then = then;
            this.mayGiveUp = key == ApiKeys.PRODUCE || key == ApiKeys.TXN_OFFSET_COMMIT;
        }

        private Call send() {
            if (stopped) {
                return this;
            }
            if (!coordination.ready()) {
                again(5);
                return this;
            }
            firstSentAt = Math.min(firstSentAt, net.scheduler().now());
            coordination.link().send(key, version, request, spec.patienceMillis, true, this::answered);
            return this;
        }

        private void again(int millis) {
            long pause = (1 + random.below(2 * millis)) * SimScheduler.MILLI;
            net.scheduler().after(pause, null, "txn-again", this::send);
        }

        private void answered(ApiMessage answer) {
            if (stopped) {
                return;
            }
            if (answer == null) {
                net.count("txn.unanswered");
                unknown = true;
                unclean |= !spec.second;
                if (mayGiveUp && random.chance(0.3)) {
                    net.count("txn.given-up");
                    then.accept(Errors.NETWORK_EXCEPTION, null);
                } else {
                    again(20);
                }
                return;
            }
            Errors error = read.apply(answer);
            net.count(key + "." + error);
            if (SimOutcomes.retriable(error) || error == Errors.CONCURRENT_TRANSACTIONS) {
                unknown = true;
                again(10);
            } else if (error == Errors.NOT_COORDINATOR) {
                unknown = true;
                coordination.lost();
                again(10);
            } else {
                then.accept(error, answer);
            }
        }

        /** Rule T3: who came after had the id to itself. */
        private void mustNotBeFenced(String what) {
            if (id.superseded(claim, firstSentAt)) {
                throw new RuleBroken(
                        "T3 the old instance is fenced on every path",
                        name + " " + producerId + "/" + epoch + ": " + what + " succeeded");
            }
        }
    }

    /** A refusal: was there a reason for it? That it gave up is one. */
    private Outcome refused(Errors error, String what, Outcome outcome) {
        long openMillis = (net.scheduler().now() - begunAt) / SimScheduler.MILLI;
        boolean due = error == Errors.NETWORK_EXCEPTION
                || spec.lenient
                || haunted
                || unclean
                || id.contested(claim)
                || (open != null && openMillis >= spec.timeoutMillis);
        if (!due) {
            throw new RuleBroken(
                    "T5 T6 refusals have a reason",
                    name + " " + producerId + "/" + epoch + ": " + what + " was answered " + error + ", open for "
                            + openMillis + " ms of " + spec.timeoutMillis);
        }
        unclean |= !spec.second;
        return outcome;
    }

    // ---- InitProducerId

    /** Takes the id; or, when it has it and something went wrong (KIP-360), a new epoch. */
    void init(Consumer<Outcome> then) {
        boolean again = producerId >= 0;
        if (!again) {
            claim = id.claim(net.scheduler().now());
        }
        InitProducerIdRequestData request = new InitProducerIdRequestData()
                .setTransactionalId(id.name)
                .setTransactionTimeoutMs(spec.timeoutMillis)
                .setProducerId(producerId)
                .setProducerEpoch(epoch);
        Call[] call = new Call[1];
        call[0] = new Call(
                ApiKeys.INIT_PRODUCER_ID,
                versions.init,
                request,
                answer -> Errors.forCode(((InitProducerIdResponseData) answer).errorCode()),
                (error, answer) -> {
                    if (error != Errors.NONE) {
                        then.accept(refused(error, "InitProducerId", Outcome.OVER));
                        return;
                    }
                    if (again) {
                        call[0].mustNotBeFenced("InitProducerId");
                    } else {
                        claim.answered(net.scheduler().now());
                    }
                    InitProducerIdResponseData data = (InitProducerIdResponseData) answer;
                    identity(data.producerId(), data.producerEpoch());
                    unclean = false;
                    haunted |= !again && call[0].unknown;
                    then.accept(Outcome.DONE);
                });
        call[0].send();
    }

    private void identity(long newId, short newEpoch) {
        if (newId < 0 || newEpoch < 0 || (newId == producerId && newEpoch < epoch)) {
            throw new RuleBroken(
                    "T3 epochs rise", name + " got " + newId + "/" + newEpoch + " after " + producerId + "/" + epoch);
        }
        if (newId != producerId || newEpoch != epoch) {
            sequences.clear();
        }
        producerId = newId;
        epoch = newEpoch;
    }

    // ---- a transaction

    /** V1 must not begin another with an epoch of which messages may still come: they would count for the next one. */
    boolean needsInit() {
        return producerId < 0 || unclean;
    }

    void begin(SimTxn transaction) {
        open = transaction;
        open.second = spec.second;
        begunAt = net.scheduler().now();
    }

    void produce(SimTxnPartition partition, List<String> values, Consumer<Outcome> then) {
        values.forEach(each -> partition.send(each, open));
        if (spec.second || added.contains(partition)) {
            append(partition, values, then);
            return;
        }
        AddPartitionsToTxnTopicCollection topics = new AddPartitionsToTxnTopicCollection();
        topics.add(new AddPartitionsToTxnTopic().setName(partition.topic).setPartitions(List.of(partition.partition)));
        AddPartitionsToTxnRequestData request = new AddPartitionsToTxnRequestData()
                .setV3AndBelowTransactionalId(id.name)
                .setV3AndBelowProducerId(producerId)
                .setV3AndBelowProducerEpoch(epoch)
                .setV3AndBelowTopics(topics);
        new Call(ApiKeys.ADD_PARTITIONS_TO_TXN, versions.add, request, SimTxnClient::added, (error, answer) -> {
                    if (error != Errors.NONE) {
                        then.accept(refused(error, "AddPartitionsToTxn", Outcome.ABORT));
                    } else {
                        added.add(partition);
                        append(partition, values, then);
                    }
                })
                .send();
    }

    private static Errors added(ApiMessage answer) {
        return Errors.forCode(((AddPartitionsToTxnResponseData) answer)
                .resultsByTopicV3AndBelow()
                .iterator()
                .next()
                .resultsByPartition()
                .iterator()
                .next()
                .partitionErrorCode());
    }

    private void append(SimTxnPartition partition, List<String> values, Consumer<Outcome> then) {
        int sequence = sequences.getOrDefault(partition, 0);
        sequences.put(partition, sequence + values.size());
        MemoryRecords batch = SimBatches.transactional(
                values,
                random.below(spec.padding + 1),
                net.wallMillis(),
                net.compression(),
                producerId,
                epoch,
                sequence);
        TopicProduceData topic = new TopicProduceData().setName(partition.topic);
        topic.partitionData()
                .add(new PartitionProduceData().setIndex(partition.partition).setRecords(batch));
        ProduceRequestData request = new ProduceRequestData()
                .setAcks((short) -1)
                .setTimeoutMs(spec.patienceMillis)
                .setTransactionalId(id.name);
        request.topicData().add(topic);
        Call[] call = new Call[1];
        call[0] = new Call(
                ApiKeys.PRODUCE,
                versions.produce,
                request,
                answer -> Errors.forCode(produced(answer).errorCode()),
                (error, answer) -> {
                    if (error != Errors.NONE) {
                        then.accept(refused(error, "Produce at " + partition.name(), Outcome.ABORT));
                        return;
                    }
                    call[0].mustNotBeFenced("Produce at " + partition.name());
                    long base = produced(answer).baseOffset();
                    for (int i = 0; i < values.size(); i++) {
                        partition.ack(
                                values.get(i), base + i, coordination.link().answering());
                    }
                    then.accept(Outcome.DONE);
                });
        call[0].send();
    }

    private static PartitionProduceResponse produced(ApiMessage answer) {
        return ((ProduceResponseData) answer)
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
    }

    // ---- offsets

    /** Commits offsets of a group, by partition of {@code topic}, with the transaction. */
    void offsets(Member member, String topic, Map<Integer, Long> offsets, Consumer<Outcome> then) {
        open.group = member.group;
        if (spec.second) {
            commitOffsets(member, topic, offsets, then);
            return;
        }
        AddOffsetsToTxnRequestData request = new AddOffsetsToTxnRequestData()
                .setTransactionalId(id.name)
                .setProducerId(producerId)
                .setProducerEpoch(epoch)
                .setGroupId(member.group);
        new Call(
                        ApiKeys.ADD_OFFSETS_TO_TXN,
                        versions.addOffsets,
                        request,
                        answer -> Errors.forCode(((AddOffsetsToTxnResponseData) answer).errorCode()),
                        (error, answer) -> {
                            if (error != Errors.NONE) {
                                then.accept(refused(error, "AddOffsetsToTxn", Outcome.ABORT));
                            } else {
                                commitOffsets(member, topic, offsets, then);
                            }
                        })
                .send();
    }

    private void commitOffsets(Member member, String topic, Map<Integer, Long> offsets, Consumer<Outcome> then) {
        TxnOffsetCommitRequestTopic committed = new TxnOffsetCommitRequestTopic().setName(topic);
        offsets.forEach((partition, offset) -> committed
                .partitions()
                .add(new TxnOffsetCommitRequestPartition()
                        .setPartitionIndex(partition)
                        .setCommittedOffset(offset)
                        .setCommittedMetadata("")));
        TxnOffsetCommitRequestData request = new TxnOffsetCommitRequestData()
                .setTransactionalId(id.name)
                .setProducerId(producerId)
                .setProducerEpoch(epoch)
                .setGroupId(member.group)
                .setTopics(List.of(committed));
        if (versions.offsets >= 3) {
            request.setMemberId(member.memberId).setGenerationIdOrMemberEpoch(member.generation);
        }
        Call[] call = new Call[1];
        call[0] = new Call(
                ApiKeys.TXN_OFFSET_COMMIT,
                versions.offsets,
                request,
                answer -> Errors.forCode(((TxnOffsetCommitResponseData) answer)
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0)
                        .errorCode()),
                (error, answer) -> {
                    if (error == Errors.NONE) {
                        call[0].mustNotBeFenced("TxnOffsetCommit");
                        then.accept(Outcome.DONE);
                    } else if (ofGroup(error) && member.generation >= 0) {
                        unclean |= !spec.second;
                        then.accept(Outcome.ABORT);
                    } else {
                        then.accept(refused(error, "TxnOffsetCommit", Outcome.ABORT));
                    }
                });
        call[0].send();
    }

    private static boolean ofGroup(Errors error) {
        return error == Errors.ILLEGAL_GENERATION
                || error == Errors.UNKNOWN_MEMBER_ID
                || error == Errors.REBALANCE_IN_PROGRESS
                || error == Errors.STALE_MEMBER_EPOCH
                || error == Errors.FENCED_INSTANCE_ID;
    }

    // ---- the end

    /** Ends the open transaction. {@code then}: DONE with its end decided; OVER: this producer is fenced. */
    void end(boolean commit, Consumer<Outcome> then) {
        SimTxn ending = open;
        if (ending.isEmpty()) {
            ended();
            then.accept(Outcome.DONE);
            return;
        }
        if (commit) {
            ending.askCommit();
        }
        EndTxnRequestData request = new EndTxnRequestData()
                .setTransactionalId(id.name)
                .setProducerId(producerId)
                .setProducerEpoch(epoch)
                .setCommitted(commit);
        Call[] call = new Call[1];
        call[0] = new Call(
                ApiKeys.END_TXN,
                versions.end,
                request,
                answer -> Errors.forCode(((EndTxnResponseData) answer).errorCode()),
                (error, answer) -> {
                    if (error == Errors.NONE) {
                        call[0].mustNotBeFenced("EndTxn");
                        if (commit) {
                            ending.committed();
                        }
                        net.count(commit ? "txn.commits" : "txn.aborts");
                        ended();
                        if (spec.second) {
                            EndTxnResponseData data = (EndTxnResponseData) answer;
                            identity(data.producerId(), data.producerEpoch());
                        }
                        then.accept(Outcome.DONE);
                        return;
                    }
                    if (commit && !call[0].unknown) {
                        ending.refused();
                    }
                    // Of the first protocol: nothing was added that is known there, so nothing is to be aborted.
                    boolean nothing = !commit && !spec.second && error == Errors.INVALID_TXN_STATE;
                    Outcome outcome = refused(
                            error,
                            commit ? "the commit of " + ending : "the abort of " + ending,
                            nothing ? Outcome.DONE : Outcome.OVER);
                    ended();
                    then.accept(outcome);
                });
        call[0].send();
    }

    private void ended() {
        open = null;
        added.clear();
    }
}
