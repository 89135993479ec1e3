package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import coordinator.InstantRuntime.Answer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.GroupMetadataRecord;
import records.schemas.GroupRecord;
import sim.SimRandom;

/**
 * One run of naive clients that join, leave, freeze, restart and lie, while the coordinator moves and loses what it had not committed. Judges what clients are
 * told: rules G2, G3, G4; at the end L5.
 */
final class ClassicModel {
    private static final int CLIENTS = 7;

    private final ClassicLab lab = new ClassicLab();
    private final SimRandom random;
    private final List<ClassicModelClient> clients = new ArrayList<>();
    private final TreeMap<Integer, String> roundOfGeneration = new TreeMap<>();
    private final TreeMap<Integer, String> leaderOfGeneration = new TreeMap<>();
    private long nowMillis;
    private int settledOnce;

    ClassicModel(long seed, Mutations mutations) {
        random = new SimRandom(seed);
        lab.bench.mutations(mutations);
    }

    /** How often a client got an assignment: a run in which nothing happens proves nothing. */
    int settledOnce() {
        return settledOnce;
    }

    int generations() {
        return roundOfGeneration.size();
    }

    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            disturb();
            everyoneSteps();
            if (random.below(3) == 0) {
                advance(random.below(2_000));
            }
            checkLog();
        }
        calmDown();
    }

    private void disturb() {
        switch (random.below(40)) {
            case 0, 1, 2 -> arrive();
            case 3 -> any(ClassicModelClient::leave);
            case 4, 5 -> any(client -> client.freeze(nowMillis + random.below(40_000)));
            case 6 -> any(ClassicModelClient::restart);
            case 7 -> any(ClassicModelClient::loseAnswers);
            case 8, 9 -> any(ClassicModelClient::lie);
            case 10, 11 -> hold();
            case 12 -> reload();
            default -> {}
        }
        if (lab.bench.holdsCommits() && random.below(6) == 0) {
            release();
        }
        clients.removeIf(ClassicModelClient::isGone);
    }

    private void arrive() {
        if (clients.size() < CLIENTS) {
            String instance = random.below(3) == 0 ? "static-" + random.below(4) : null;
            clients.add(new ClassicModelClient(lab, this, random, instance));
        }
    }

    private void any(Consumer<ClassicModelClient> what) {
        if (!clients.isEmpty()) {
            what.accept(clients.get(random.below(clients.size())));
        }
    }

    private void hold() {
        lab.bench.holdCommits();
    }

    private void release() {
        if (random.below(3) == 0) {
            lab.bench.failAppend();
        } else {
            lab.bench.commit();
        }
    }

    private void reload() {
        if (!lab.bench.holdsCommits()) {
            lab.bench.reload();
        }
    }

    private void everyoneSteps() {
        for (ClassicModelClient each : List.copyOf(clients)) {
            each.step(nowMillis);
        }
    }

    private void advance(int millis) {
        // While the disk stands still timers do, too.
        if (!lab.bench.holdsCommits()) {
            nowMillis += millis;
            lab.bench.advance(millis);
        }
    }

    /** Null while the disk stands still: not answered yet. */
    Errors heartbeat(String memberId, String instance, int generation) {
        HeartbeatRequestData request = new HeartbeatRequestData()
                .setGroupId(ClassicLab.GROUP)
                .setMemberId(memberId)
                .setGroupInstanceId(instance)
                .setGenerationId(generation);
        Answer<HeartbeatResponseData> answer =
                lab.bench.write(shard -> shard.classic().heartbeat(request));
        return answer.isDone() ? Errors.forCode(answer.value().errorCode()) : null;
    }

    /** Rules G2, G3: what a member learns is committed; a generation has one leader. */
    void told(JoinGroupResponseData answer, String instance) {
        int generation = answer.generationId();
        assertTrue(
                generation <= newest(lab.bench.committedLog()),
                () -> "generation " + generation + " was told but is not in the log (G2, G3)");
        if (!answer.members().isEmpty() && !answer.skipAssignment()) {
            String members = new TreeSet<>(ClassicLab.memberIds(answer)).toString();
            String before = leaderOfGeneration.putIfAbsent(generation, members);
            assertEquals(
                    before == null ? members : before, members, "generation " + generation + " was used twice (G3)");
        }
    }

    /** Rule G4. */
    void given(String memberId, int generation, String assignment) {
        settledOnce++;
        if (assignment.isEmpty()) {
            return;
        }
        String round = assignment.substring(0, assignment.indexOf(" for "));
        assertTrue(
                round.startsWith("g" + generation + "#"), () -> memberId + " is in " + generation + ", given " + round);
        String before = roundOfGeneration.putIfAbsent(generation, round);
        assertEquals(before == null ? round : before, round, "two assignments in generation " + generation);
        boolean stored = false;
        for (GroupRecord each : lab.bench.committedLog()) {
            stored |= each instanceof GroupMetadataRecord record && holds(record.value(), generation, assignment);
        }
        assertTrue(stored, () -> memberId + " was given what is not committed (G4): " + assignment);
    }

    private static boolean holds(GroupMetadataRecord.Value value, int generation, String assignment) {
        return value.generation() == generation
                && value.members().stream()
                        .anyMatch(member -> Arrays.equals(member.assignment(), ClassicLab.bytes(assignment)));
    }

    /** Generations in the log rise by one. */
    private void checkLog() {
        int before = 0;
        for (GroupRecord each : lab.bench.log()) {
            int generation = ((GroupMetadataRecord) each).value().generation();
            assertTrue(generation == before || generation == before + 1, before + " is followed by " + generation);
            before = generation;
        }
        Group group = lab.bench.shard().classic().orSimple(ClassicLab.GROUP);
        int known = group instanceof ClassicGroup classic
                ? classic.members().size() + classic.pending().size()
                : 0;
        for (ClassicState each : ClassicState.values()) {
            int here = group.state().equals(each.toString()) ? 1 : 0;
            assertEquals(here, lab.bench.counts().in(each), "groups counted in state " + each);
        }
        assertTrue(lab.bench.openTimers() <= known + 2, lab.bench.openTimers() + " timers for " + known + " members");
    }

    private static int newest(List<GroupRecord> log) {
        return log.isEmpty()
                ? 0
                : ((GroupMetadataRecord) log.get(log.size() - 1)).value().generation();
    }

    /** Rule L5: members that heartbeat get an assignment within rebalance timeout and session. */
    private void calmDown() {
        lab.bench.commit();
        // Two processes of one static name fence each other for ever: the last one stays.
        clients.forEach(ClassicModelClient::thaw);
        long until = nowMillis + 2L * (ClassicLab.REBALANCE + ClassicLab.SESSION);
        while (nowMillis < until) {
            everyoneSteps();
            advance(500);
            checkLog();
        }
        clients.removeIf(ClassicModelClient::isGone);
        for (ClassicModelClient each : clients) {
            assertTrue(each.isSettled(), () -> each.id() + " got no assignment in time (L5)");
            assertEquals(clients.get(0).generation(), each.generation(), "all are in one generation");
        }
        assertEquals(clients.isEmpty() ? "Empty" : "Stable", lab.state());
    }
}
