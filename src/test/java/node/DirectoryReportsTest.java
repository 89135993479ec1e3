package node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.PartitionId;
import common.Ports;
import controller.Controller;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import services.HeldMailboxes;
import sim.SimHost;

/** Where replicas lie is told until the controller has it (KIP-858). */
class DirectoryReportsTest {
    private static final Uuid DIRECTORY = new Uuid(5, 1);
    private static final Uuid TOPIC = new Uuid(6, 1);

    private final SimHost host = new SimHost(1);
    private final HeldMailboxes mailboxes = new HeldMailboxes();
    private final List<String> outcomes = new ArrayList<>();

    private DirectoryReports reports() {
        Ports own = host.ports();
        Ports ports = new Ports(
                own.clock(), own.timers(), own.random(), mailboxes, own.metrics(), own.chance(), own.mutations());
        return new DirectoryReports(ports, 1, 7, 1 << 20);
    }

    private void tell(DirectoryReports reports) {
        List<ReplicaDirectories.Placed> placed = List.of(
                new ReplicaDirectories.Placed(new PartitionId(TOPIC, 0), DIRECTORY),
                new ReplicaDirectories.Placed(new PartitionId(TOPIC, 1), DIRECTORY));
        reports.assign(
                placed,
                (done, failure) ->
                        outcomes.add(failure == null ? "told" : failure.code().name()));
    }

    /** What waits is answered with these errors of its partitions, or fails. */
    private void answer(FailureCode failure, Errors... errors) {
        Function<AssignReplicasToDirsRequestData, AssignReplicasToDirsResponseData> answer = request -> {
            assertEquals(7, request.brokerEpoch());
            AssignReplicasToDirsResponseData.TopicData topic =
                    new AssignReplicasToDirsResponseData.TopicData().setTopicId(TOPIC);
            for (Errors each : errors) {
                topic.partitions().add(new AssignReplicasToDirsResponseData.PartitionData().setErrorCode(each.code()));
            }
            return new AssignReplicasToDirsResponseData()
                    .setDirectories(List.of(new AssignReplicasToDirsResponseData.DirectoryData()
                            .setId(DIRECTORY)
                            .setTopics(List.of(topic))));
        };
        mailboxes.deliver(Proxy.newProxyInstance(
                Controller.class.getClassLoader(), new Class<?>[] {Controller.class}, (proxy, method, arguments) -> {
                    @SuppressWarnings("unchecked")
                    Callback<AssignReplicasToDirsResponseData> done =
                            (Callback<AssignReplicasToDirsResponseData>) arguments[1];
                    done.done(
                            failure == null ? answer.apply((AssignReplicasToDirsRequestData) arguments[0]) : null,
                            failure == null ? null : Failure.of(failure, "no"));
                    return null;
                }));
    }

    @Test
    void toldAgainWhileNoControllerIsToBeHad() {
        tell(reports());
        for (FailureCode each : List.of(FailureCode.NOT_LEADER, FailureCode.TIMED_OUT, FailureCode.OVERLOADED)) {
            answer(each);
            assertEquals(0, mailboxes.waiting(), "not at once");
            host.runFor(1_000);
            assertEquals(1, mailboxes.waiting());
        }
        answer(null, Errors.NONE, Errors.NONE);
        assertEquals(List.of("told"), outcomes);
    }

    @Test
    void whatIsGoneMeanwhileDoesNotMatter() {
        tell(reports());
        answer(null, Errors.UNKNOWN_TOPIC_ID, Errors.NOT_LEADER_OR_FOLLOWER);
        assertEquals(List.of("told"), outcomes);
        tell(reports());
        answer(null, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.LOG_DIR_NOT_FOUND);
        assertEquals(List.of("told", "INTERNAL"), outcomes);
    }

    @Test
    void aNodeThatStopsTellsNoMore() {
        tell(reports());
        answer(FailureCode.SHUTTING_DOWN);
        host.runFor(60_000);
        assertEquals(0, mailboxes.waiting());
        assertEquals(List.of("SHUTTING_DOWN"), outcomes);
    }
}
