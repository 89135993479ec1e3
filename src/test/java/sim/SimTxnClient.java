package sim;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
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
     * @param hastyPercent of its batches are given up at once
     * @param lenient clocks jump, requests come late again, or power cuts take records: a transaction may end at any time
     */
    record Spec(
            boolean second, int timeoutMillis, int patienceMillis, int padding, int hastyPercent, boolean lenient) {}

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
    private final SimTxnCall.Sender sender;
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
        this.sender = new SimTxnCall.Sender(
                net, random, coordination, spec.patienceMillis, () -> stopped, () -> unclean |= !spec.second);
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

    // ---- what answers mean

    /** Rule T3: who came after had the id to itself. */
    private void mustNotBeFenced(SimTxnCall call, String what) {
        if (id.superseded(claim, call.firstSentAt())) {
            throw new RuleBroken(
                    "T3 the old instance is fenced on every path",
                    name + " " + producerId + "/" + epoch + ": " + what + " succeeded");
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
        SimTxnCall[] call = new SimTxnCall[1];
        call[0] = new SimTxnCall(
                sender,
                ApiKeys.INIT_PRODUCER_ID,
                versions.init,
                says().init(spec.timeoutMillis),
                answer -> Errors.forCode(((InitProducerIdResponseData) answer).errorCode()),
                (error, answer) -> {
                    if (error != Errors.NONE) {
                        then.accept(refused(error, "InitProducerId", Outcome.OVER));
                        return;
                    }
                    if (again) {
                        mustNotBeFenced(call[0], "InitProducerId");
                    } else {
                        claim.answered(net.scheduler().now());
                    }
                    InitProducerIdResponseData data = (InitProducerIdResponseData) answer;
                    identity(data.producerId(), data.producerEpoch());
                    unclean = false;
                    haunted |= !again && call[0].unknown();
                    then.accept(Outcome.DONE);
                });
        call[0].send();
    }

    private SimTxnRequests says() {
        return new SimTxnRequests(id.name, producerId, epoch);
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
        open.closes = spec.second || !spec.lenient;
        begunAt = net.scheduler().now();
    }

    void produce(SimTxnPartition partition, List<String> values, Consumer<Outcome> then) {
        values.forEach(each -> partition.send(each, open));
        if (spec.second || added.contains(partition)) {
            append(partition, values, then);
            return;
        }
        new SimTxnCall(
                        sender,
                        ApiKeys.ADD_PARTITIONS_TO_TXN,
                        versions.add,
                        says().add(partition),
                        SimTxnRequests::added,
                        (error, answer) -> {
                            if (error != Errors.NONE) {
                                then.accept(refused(error, "AddPartitionsToTxn", Outcome.ABORT));
                            } else {
                                added.add(partition);
                                append(partition, values, then);
                            }
                        })
                .send();
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
        SimTxnCall[] call = new SimTxnCall[1];
        call[0] = new SimTxnCall(
                sender,
                ApiKeys.PRODUCE,
                versions.produce,
                says().produce(partition, batch, spec.patienceMillis),
                answer -> Errors.forCode(SimTxnRequests.produced(answer).errorCode()),
                (error, answer) -> {
                    if (error != Errors.NONE) {
                        then.accept(refused(error, "Produce at " + partition.name(), Outcome.ABORT));
                        return;
                    }
                    mustNotBeFenced(call[0], "Produce at " + partition.name());
                    long base = SimTxnRequests.produced(answer).baseOffset();
                    for (int i = 0; i < values.size(); i++) {
                        partition.ack(
                                values.get(i), base + i, coordination.link().answering());
                    }
                    then.accept(Outcome.DONE);
                });
        if (spec.hastyPercent > 0 && random.below(100) < spec.hastyPercent) {
            call[0].hasty(1 + random.below(10));
        }
        call[0].send();
    }

    // ---- offsets

    /** Commits offsets of a group, by partition of {@code topic}, with the transaction. */
    void offsets(Member member, String topic, Map<Integer, Long> offsets, Consumer<Outcome> then) {
        open.group = member.group;
        if (spec.second) {
            commitOffsets(member, topic, offsets, then);
            return;
        }
        new SimTxnCall(
                        sender,
                        ApiKeys.ADD_OFFSETS_TO_TXN,
                        versions.addOffsets,
                        says().addOffsets(member.group),
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
        TxnOffsetCommitRequestData request = says().commitOffsets(member.group, topic, offsets);
        if (versions.offsets >= 3) {
            request.setMemberId(member.memberId).setGenerationIdOrMemberEpoch(member.generation);
        }
        SimTxnCall[] call = new SimTxnCall[1];
        call[0] = new SimTxnCall(
                sender,
                ApiKeys.TXN_OFFSET_COMMIT,
                versions.offsets,
                request,
                SimTxnRequests::committedOffsets,
                (error, answer) -> {
                    if (error == Errors.NONE) {
                        mustNotBeFenced(call[0], "TxnOffsetCommit");
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
        SimTxnCall[] call = new SimTxnCall[1];
        call[0] = new SimTxnCall(
                sender,
                ApiKeys.END_TXN,
                versions.end,
                says().end(commit),
                answer -> Errors.forCode(((EndTxnResponseData) answer).errorCode()),
                (error, answer) -> {
                    if (error == Errors.NONE) {
                        mustNotBeFenced(call[0], "EndTxn");
                        ending.ended(net.scheduler().now());
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
                    if (commit && !call[0].unknown()) {
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
