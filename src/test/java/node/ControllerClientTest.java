package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Lease;
import common.Peers;
import controller.BootReport;
import controller.Controller;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import protocol.PeerTags;
import sim.SimHost;

/** Requests find the active controller, wherever it is, wherever it goes, for as long as they have time. */
class ControllerClientTest {
    private static final Peers.Address B = new Peers.Address("b", 9093);
    private static final Peers.Address C = new Peers.Address("c", 9093);

    private final SimHost host = new SimHost(1);
    private final ActiveController active = new ActiveController();
    private final Map<Peers.Address, ArrayDeque<Sent>> sent = new LinkedHashMap<>();
    private final List<Callback<Object>> here = new ArrayList<>();
    private final List<Integer> suspects = new ArrayList<>();
    private final List<String> outcomes = new ArrayList<>();
    private final ControllerClient client =
            new ControllerClient(host.ports(), ControllerLab.config(), active, own(), this::line, suspects::add);

    /** A request on some line. */
    private record Sent(ApiMessage request, int timeoutMillis, Object line, Callback<Peers.Answer> done) {}

    private Controller own() {
        return (Controller) Proxy.newProxyInstance(
                Controller.class.getClassLoader(), new Class<?>[] {Controller.class}, (proxy, method, arguments) -> {
                    @SuppressWarnings("unchecked")
                    Callback<Object> done = (Callback<Object>) arguments[arguments.length - 1];
                    here.add(done);
                    return null;
                });
    }

    private ArrayDeque<Sent> at(Peers.Address to) {
        return sent.computeIfAbsent(to, unused -> new ArrayDeque<>());
    }

    private Peers.Peer line(Peers.Address to) {
        return new Peers.Peer() {
            private final List<Callback<Peers.Answer>> open = new ArrayList<>();

            @Override
            public void send(ApiMessage request, int timeoutMillis, Callback<Peers.Answer> done) {
                open.add(done);
                at(to).add(new Sent(request, timeoutMillis, this, (answer, failure) -> {
                    if (open.remove(done)) {
                        done.done(answer, failure);
                    }
                }));
            }

            @Override
            public void close() {
                List<Callback<Peers.Answer>> lost = List.copyOf(open);
                open.clear();
                lost.forEach(each -> each.fail(FailureCode.SHUTTING_DOWN, "closed"));
            }
        };
    }

    private void answer(Peers.Address from, ApiMessage answer) {
        Lease none = new Lease() {
            @Override
            public void retain() {}

            @Override
            public void release() {}
        };
        at(from).remove().done.succeed(new Peers.Answer(answer, (short) 0, none));
    }

    private void fail(Peers.Address from, FailureCode code) {
        at(from).remove().done.fail(code, "no");
    }

    private void beat() {
        client.heartbeat(
                new BrokerHeartbeatRequestData().setBrokerId(1),
                (answer, failure) -> outcomes.add(outcome(answer == null ? 0 : answer.errorCode(), failure)));
    }

    private static String outcome(short error, Failure failure) {
        return failure == null ? Errors.forCode(error).name() : failure.code().name();
    }

    private static BrokerHeartbeatResponseData beaten(Errors error) {
        return new BrokerHeartbeatResponseData().setErrorCode(error.code());
    }

    private void create(int timeoutMillis) {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(timeoutMillis);
        client.createTopics(
                request,
                (answer, failure) -> outcomes.add(outcome(
                        answer == null ? 0 : answer.topics().iterator().next().errorCode(), failure)));
    }

    private static CreateTopicsResponseData created(Errors error) {
        CreateTopicsResponseData answer = new CreateTopicsResponseData();
        answer.topics().add(new CreatableTopicResult().setName("t").setErrorCode(error.code()));
        return answer;
    }

    @Test
    void handedOverWhenItIsHere() {
        active.is(1, 5, true, null);
        beat();
        assertEquals(1, here.size());
        here.remove(0).succeed(beaten(Errors.STALE_BROKER_EPOCH));
        assertEquals(List.of("STALE_BROKER_EPOCH"), outcomes);
        assertEquals(0, sent.size());
    }

    @Test
    void sentWhereItIs() {
        active.is(2, 5, false, B);
        create(30_000);
        beat();
        assertEquals(2, at(B).size());
        assertTrue(at(B).getFirst().line != at(B).getLast().line, "a heartbeat does not wait behind what may wait");
        answer(B, created(Errors.TOPIC_ALREADY_EXISTS));
        answer(B, beaten(Errors.NONE));
        assertEquals(List.of("TOPIC_ALREADY_EXISTS", "NONE"), outcomes);
    }

    @Test
    void waitsUntilOneIsKnown() {
        create(30_000);
        host.runFor(5_000);
        assertEquals(List.of(), outcomes);
        active.is(1, 5, true, null);
        here.remove(0).succeed(created(Errors.NONE));
        assertEquals(List.of("NONE"), outcomes);
    }

    @Test
    void aRequestThatNobodyAnswersEndsWithItsTime() {
        create(3_000);
        active.is(2, 5, false, B);
        assertTrue(at(B).getFirst().timeoutMillis <= 3_000);
        host.runFor(3_100);
        assertEquals(List.of("TIMED_OUT"), outcomes);
        answer(B, created(Errors.NONE));
        assertEquals(1, outcomes.size(), "late");
    }

    /** Whatever tells that it is elsewhere: asked again, there. */
    @Test
    void followsTheLeadership() {
        active.is(2, 5, false, B);
        create(30_000);
        answer(B, created(Errors.NOT_CONTROLLER));
        assertEquals(0, at(B).size(), "not at once");
        host.runFor(1_000);
        fail(B, FailureCode.PEER_LOST);
        active.is(3, 6, false, C);
        answer(C, created(Errors.NOT_LEADER_OR_FOLLOWER));
        active.is(1, 7, true, null);
        here.remove(0).fail(FailureCode.NOT_LEADER, "lost");
        active.is(2, 8, false, B);
        answer(B, created(Errors.NONE));
        assertEquals(List.of("NONE"), outcomes);
        assertEquals(0, at(B).size() + at(C).size());
    }

    /** The former one may never answer: it stands still, or the way is cut. */
    @Test
    void doesNotWaitForAFormerOne() {
        active.is(2, 5, false, B);
        beat();
        active.is(3, 6, false, C);
        host.runFor(200);
        assertEquals(1, at(C).size());
        answer(C, beaten(Errors.NONE));
        assertEquals(List.of("NONE"), outcomes);
    }

    @Test
    void aProcessThatIsGoneIsSuspected() {
        active.is(2, 5, false, B);
        beat();
        fail(B, FailureCode.PEER_REFUSED);
        assertEquals(List.of(2), suspects);
    }

    @Test
    void refusalsThatAreFinalAreGivenBack() {
        active.is(2, 5, false, B);
        create(30_000);
        fail(B, FailureCode.OVERLOADED);
        active.is(1, 6, true, null);
        create(30_000);
        here.remove(0).fail(FailureCode.STORAGE_ERROR, "disk");
        assertEquals(List.of("OVERLOADED", "STORAGE_ERROR"), outcomes);
    }

    @Test
    void endsWithTheNode() {
        active.is(2, 5, false, B);
        beat();
        client.close();
        beat();
        assertEquals(List.of("SHUTTING_DOWN", "SHUTTING_DOWN"), outcomes);
    }

    /** A replica that does not lead says so of the partition. */
    @Test
    void theQuorumIsDescribedByItsLeader() {
        active.is(2, 5, false, B);
        client.describeQuorum(
                new DescribeQuorumRequestData(),
                (answer, failure) -> outcomes.add(outcome(answer.errorCode(), failure)));
        DescribeQuorumResponseData elsewhere = new DescribeQuorumResponseData();
        elsewhere
                .topics()
                .add(new DescribeQuorumResponseData.TopicData()
                        .setPartitions(List.of(new DescribeQuorumResponseData.PartitionData()
                                .setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code()))));
        answer(B, elsewhere);
        assertEquals(List.of(), outcomes);
        host.runFor(1_000);
        answer(B, new DescribeQuorumResponseData());
        assertEquals(List.of("NONE"), outcomes);
    }

    /** C3: what the boot id says goes with the message. */
    @Test
    void theBootIsToldToo() {
        active.is(2, 5, false, B);
        client.registerBroker(
                new BrokerRegistrationRequestData().setBrokerId(1),
                new BootReport("a boot", true),
                (answer, failure) -> outcomes.add(outcome(answer.errorCode(), failure)));
        BrokerRegistrationRequestData told = (BrokerRegistrationRequestData) at(B).getFirst().request;
        assertEquals(new BootReport("a boot", true), PeerTags.bootReport(told));
        answer(B, new BrokerRegistrationResponseData());
        assertEquals(List.of("NONE"), outcomes);
        assertNull(PeerTags.bootReport(new BrokerRegistrationRequestData()));
    }

    /** Leaders come and go, answers are lost, come late or tell of others: each request is answered once, and those with time in the end well. */
    @Test
    void everyRequestIsAnsweredOnce() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            ControllerClientTest run = new ControllerClientTest();
            int asked = 0;
            for (int step = 0; step < 100; step++) {
                switch (random.nextInt(6)) {
                    case 0 -> {
                        run.create(1_000_000);
                        asked++;
                    }
                    case 1 -> run.active.is(2, step, false, random.nextBoolean() ? B : C);
                    case 2 -> run.active.is(-1, step, false, null);
                    case 3 -> run.active.is(1, step, true, null);
                    case 4 -> run.host.runFor(random.nextInt(200));
                    default -> run.somethingComes(random);
                }
            }
            run.active.is(2, 1_000, false, new Peers.Address("d", 1));
            run.here.forEach(each -> each.fail(FailureCode.NOT_LEADER, "gone"));
            for (int i = 0; i < 10; i++) {
                run.host.runFor(1_000);
                while (!run.at(new Peers.Address("d", 1)).isEmpty()) {
                    run.answer(new Peers.Address("d", 1), created(Errors.NONE));
                }
            }
            assertEquals(asked, run.outcomes.size(), "seed " + seed);
            assertTrue(run.outcomes.stream().allMatch("NONE"::equals), "seed " + seed + run.outcomes);
        }
    }

    private void somethingComes(Random random) {
        Peers.Address from = random.nextBoolean() ? B : C;
        if (random.nextInt(3) == 0 && !here.isEmpty()) {
            boolean decided = random.nextBoolean();
            here.remove(0)
                    .done(
                            decided ? created(Errors.NONE) : null,
                            decided ? null : Failure.of(FailureCode.NOT_LEADER, "lost"));
        } else if (!at(from).isEmpty()) {
            switch (random.nextInt(3)) {
                case 0 -> answer(from, created(Errors.NONE));
                case 1 -> answer(from, created(Errors.NOT_CONTROLLER));
                default -> fail(from, FailureCode.PEER_LOST);
            }
        }
    }
}
