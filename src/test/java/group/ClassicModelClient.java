package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.RandomSource;
import coordinator.InstantRuntime.Answer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;

/** A naive consumer: does what the protocol asks of it, one request after another. */
final class ClassicModelClient {
    private static final List<String> PROTOCOLS = List.of("range", "sticky");

    private final ClassicLab lab;
    private final ClassicModel model;
    private final RandomSource random;
    private final String instance;
    private final int version;
    private String id = "";
    private int generation = -1;
    private Answer<JoinGroupResponseData> join;
    private Answer<SyncGroupResponseData> sync;
    private boolean assigned;
    private boolean gone;
    private long frozenUntil;

    ClassicModelClient(ClassicLab lab, ClassicModel model, RandomSource random, String instance) {
        this.lab = lab;
        this.model = model;
        this.random = random;
        this.instance = instance;
        this.version = random.below(10) == 0 ? 3 : 4 + random.below(6);
    }

    boolean isGone() {
        return gone;
    }

    /** Has what its generation gives it, and waits for nothing. */
    boolean isSettled() {
        return assigned && join == null && sync == null;
    }

    int generation() {
        return generation;
    }

    String id() {
        return id;
    }

    void freeze(long untilMillis) {
        frozenUntil = untilMillis;
    }

    void thaw() {
        frozenUntil = 0;
    }

    /** Its connection broke: what it was waiting for never reaches it. */
    void loseAnswers() {
        join = null;
        sync = null;
    }

    /** The process starts anew and knows nothing. */
    void restart() {
        loseAnswers();
        forget();
    }

    private void forget() {
        id = "";
        generation = -1;
        assigned = false;
    }

    void leave() {
        if (!id.isEmpty()) {
            lab.leaving(id, instance);
        }
        gone = true;
    }

    /** One thing that it can do now. */
    void step(long nowMillis) {
        if (gone || nowMillis < frozenUntil) {
            return;
        }
        if (join != null) {
            if (join.isDone()) {
                joined();
            }
        } else if (sync != null) {
            if (sync.isDone()) {
                synced();
            }
        } else if (assigned) {
            heartbeat();
        } else {
            askToJoin();
        }
    }

    private void askToJoin() {
        List<String> protocols = new ArrayList<>(PROTOCOLS);
        if (random.below(2) == 0) {
            protocols.add(protocols.remove(0));
        }
        JoinGroupRequestData request = ClassicLab.joining(id, protocols.toArray(String[]::new));
        request.setGroupInstanceId(version >= 5 ? instance : null);
        join = lab.join(request, version);
    }

    private void joined() {
        Answer<JoinGroupResponseData> answered = join;
        join = null;
        if (answered.failure() != null) {
            return;
        }
        JoinGroupResponseData answer = answered.value();
        switch (Errors.forCode(answer.errorCode())) {
            case NONE -> {
                id = answer.memberId();
                generation = answer.generationId();
                model.told(answer, version >= 5 ? instance : null);
                askToSync(answer);
            }
            case MEMBER_ID_REQUIRED -> {
                assertTrue(version >= 4 && id.isEmpty());
                id = answer.memberId();
            }
            case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> forget();
            case REBALANCE_IN_PROGRESS -> {}
            case FENCED_INSTANCE_ID -> gone = true;
            default -> throw new AssertionError("JoinGroup: " + answer);
        }
    }

    private void askToSync(JoinGroupResponseData answer) {
        SyncGroupRequestData request = new SyncGroupRequestData()
                .setMemberId(id)
                .setGroupInstanceId(version >= 5 ? instance : null)
                .setGenerationId(generation)
                .setProtocolType("consumer")
                .setProtocolName(answer.protocolName());
        List<String> assignments = new ArrayList<>();
        if (answer.leader().equals(id) && !answer.skipAssignment()) {
            String round = "g" + generation + "#" + random.nextLong();
            for (String member : ClassicLab.memberIds(answer)) {
                assignments.add(member);
                assignments.add(round + " for " + member);
            }
        }
        sync = lab.sync(request, assignments.toArray(String[]::new));
    }

    private void synced() {
        Answer<SyncGroupResponseData> answered = sync;
        sync = null;
        if (answered.failure() != null) {
            return;
        }
        switch (Errors.forCode(answered.value().errorCode())) {
            case NONE -> {
                model.given(id, generation, new String(answered.value().assignment(), StandardCharsets.UTF_8));
                assigned = true;
            }
            case REBALANCE_IN_PROGRESS -> {}
            case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> forget();
            case FENCED_INSTANCE_ID -> gone = true;
            default -> throw new AssertionError("SyncGroup: " + answered.value());
        }
    }

    private void heartbeat() {
        Errors error = model.heartbeat(id, version >= 5 ? instance : null, generation);
        switch (error == null ? Errors.NONE : error) {
            case NONE -> {}
            case REBALANCE_IN_PROGRESS -> assigned = false;
            case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> forget();
            case FENCED_INSTANCE_ID -> gone = true;
            default -> throw new AssertionError("Heartbeat: " + error);
        }
    }

    /** A request that does not belong to this generation must be refused. */
    void lie() {
        if (!id.isEmpty() && generation >= 0) {
            Errors error = model.heartbeat(id, null, generation + 1_000 + random.below(3));
            assertTrue(
                    error == null || error == Errors.ILLEGAL_GENERATION || error == Errors.UNKNOWN_MEMBER_ID,
                    () -> "a heartbeat of another generation: " + error);
            Answer<SyncGroupResponseData> early = lab.sync(id, generation + 1_000, id, "stolen");
            if (early.isDone() && early.failure() == null) {
                assertEquals(Errors.forCode(early.value().errorCode()), error);
            }
        }
    }
}
