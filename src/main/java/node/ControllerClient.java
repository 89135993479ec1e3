package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.OwnerCall;
import common.Peers;
import common.Ports;
import common.Timers;
import config.BrokerConfig;
import controller.BootReport;
import controller.Controller;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterRequestData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.message.UnregisterBrokerResponseData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import protocol.PeerTags;

/**
 * The active controller, wherever it is: on this node its requests are handed over, to another one they are sent as they are. A request that meets no active controller, or loses
 * it, is repeated until there is one or its time is up (TIMED_OUT): whatever may be asked here takes effect once, however often it arrives (rules C1, C9). On loop 0.
 */
final class ControllerClient implements Controller {
    private static final long RETRY_MILLIS = 50;
    private static final int REGISTRATION_MILLIS = 10_000;
    private static final int ISR_MILLIS = 3_000;
    private static final int MOST_OPEN = 10_000;

    /** Of UpdateFeatures. */
    private static final byte SAFE_DOWNGRADE = 2;

    private final Ports ports;
    private final ActiveController active;
    private final Controller own;
    private final Peers peers;
    private final IntConsumer suspect;
    private final int sessionMillis;
    private final int requestMillis;
    private final Set<Ask<?, ?>> open = new LinkedHashSet<>();
    private Lines lines;
    private boolean closed;

    /** To one active controller: requests of a line are answered in their order, so those that may wait are apart from those that must not. */
    private record Lines(Peers.Address to, Peers.Peer alive, Peers.Peer brokers, Peers.Peer operators) {
        Peers.Peer of(Urgency urgency) {
            return switch (urgency) {
                case ALIVE -> alive;
                case BROKER -> brokers;
                case OPERATOR -> operators;
            };
        }

        void close() {
            alive.close();
            brokers.close();
            operators.close();
        }
    }

    private enum Urgency {
        ALIVE,
        BROKER,
        OPERATOR
    }

    /**
     * @param own this node's controller, active or not
     * @param suspect told of a node whose process is not where it should be
     */
    ControllerClient(
            Ports ports,
            BrokerConfig config,
            ActiveController active,
            Controller own,
            Peers peers,
            IntConsumer suspect) {
        this.ports = ports;
        this.active = active;
        this.own = own;
        this.peers = peers;
        this.suspect = suspect;
        this.sessionMillis = config.controller().sessionMillis();
        this.requestMillis = config.requests().requestTimeoutMillis();
        active.onChange(this::changed);
    }

    /** What is open fails; nothing is sent any more. */
    void close() {
        closed = true;
        closeLines();
        List.copyOf(open).forEach(each -> each.fail(new Failure(FailureCode.SHUTTING_DOWN, "this node is stopping")));
    }

    private void closeLines() {
        if (lines != null) {
            Lines former = lines;
            lines = null;
            former.close();
        }
    }

    /** Whoever waits for an active controller tries this one; what the former one has not answered is asked again. */
    private void changed() {
        if (lines != null && !lines.to.equals(active.address())) {
            closeLines();
        }
        List.copyOf(open).forEach(Ask::tryNow);
    }

    private <Q extends ApiMessage, A extends ApiMessage> void ask(
            Q request,
            Class<A> answer,
            Urgency urgency,
            int timeoutMillis,
            OwnerCall<Controller, A> here,
            Callback<A> done) {
        Ask<Q, A> ask = new Ask<>(request, answer, urgency, here, done);
        if (closed) {
            done.fail(FailureCode.SHUTTING_DOWN, "this node is stopping");
        } else if (open.size() >= MOST_OPEN) {
            done.fail(FailureCode.OVERLOADED, MOST_OPEN + " requests to the controller wait already; retry later");
        } else {
            ask.begin(Math.max(1, timeoutMillis));
        }
    }

    /** One request until it is answered. */
    private final class Ask<Q extends ApiMessage, A extends ApiMessage> {
        private final Q request;
        private final Class<A> answer;
        private final Urgency urgency;
        private final OwnerCall<Controller, A> here;
        private final Callback<A> done;
        private Timers.Handle deadline;
        private Timers.Handle retry;
        private long deadlineNanos;
        private boolean asking;
        private boolean over;

        Ask(Q request, Class<A> answer, Urgency urgency, OwnerCall<Controller, A> here, Callback<A> done) {
            this.request = request;
            this.answer = answer;
            this.urgency = urgency;
            this.here = here;
            this.done = done;
        }

        void begin(int timeoutMillis) {
            open.add(this);
            deadlineNanos = ports.clock().monotonicNanos() + timeoutMillis * 1_000_000L;
            deadline = ports.timers()
                    .after(
                            timeoutMillis,
                            () -> fail(new Failure(FailureCode.TIMED_OUT, "no active controller answered in time")));
            tryNow();
        }

        void tryNow() {
            if (over || asking) {
                return;
            }
            if (retry != null) {
                retry.cancel();
                retry = null;
            }
            if (active.local()) {
                asking = true;
                here.run(own, this::answered);
            } else if (active.address() != null) {
                asking = true;
                send(active.id(), active.address());
            }
        }

        private void send(int node, Peers.Address to) {
            if (lines == null) {
                lines = new Lines(to, peers.line(to), peers.line(to), peers.line(to));
            }
            long left = (deadlineNanos - ports.clock().monotonicNanos()) / 1_000_000;
            lines.of(urgency).send(request, (int) Math.max(1, left), (told, failure) -> {
                if (failure != null && failure.code() == FailureCode.PEER_REFUSED) {
                    suspect.accept(node);
                }
                A message = failure == null ? answer.cast(told.message()) : null;
                answered(message, failure);
            });
        }

        private void answered(A message, Failure failure) {
            asking = false;
            if (over) {
                return;
            }
            boolean elsewhere = failure == null ? ControllerAnswers.isElsewhere(message) : isRepeated(failure.code());
            if (!elsewhere) {
                end();
                done.done(message, failure);
            } else if (closed) {
                fail(new Failure(FailureCode.SHUTTING_DOWN, "this node is stopping"));
            } else {
                retry = ports.timers().after(RETRY_MILLIS, this::tryNow);
            }
        }

        void fail(Failure why) {
            if (!over) {
                end();
                done.done(null, why);
            }
        }

        private void end() {
            over = true;
            open.remove(this);
            deadline.cancel();
            if (retry != null) {
                retry.cancel();
            }
        }
    }

    private static boolean isRepeated(FailureCode code) {
        return switch (code) {
            case NOT_LEADER, NOT_CONTROLLER, PEER_REFUSED, PEER_UNREACHABLE, PEER_LOST, SHUTTING_DOWN -> true;
            default -> false;
        };
    }

    private <Q extends ApiMessage, A extends ApiMessage> void operator(
            Q request, Class<A> answer, int timeoutMillis, OwnerCall<Controller, A> here, Callback<A> done) {
        ask(request, answer, Urgency.OPERATOR, timeoutMillis, here, done);
    }

    @Override
    public void createTopics(CreateTopicsRequestData request, Callback<CreateTopicsResponseData> done) {
        operator(
                request,
                CreateTopicsResponseData.class,
                request.timeoutMs(),
                (controller, reply) -> controller.createTopics(request, reply),
                done);
    }

    @Override
    public void deleteTopics(DeleteTopicsRequestData request, Callback<DeleteTopicsResponseData> done) {
        operator(
                ofLatestVersion(request),
                DeleteTopicsResponseData.class,
                request.timeoutMs(),
                (controller, reply) -> controller.deleteTopics(request, reply),
                done);
    }

    /** Versions before 6 name topics in a field that later ones do not have, and in which the request travels on. */
    private static DeleteTopicsRequestData ofLatestVersion(DeleteTopicsRequestData request) {
        DeleteTopicsRequestData latest = request.duplicate().setTopicNames(List.of());
        request.topicNames().forEach(each -> latest.topics().add(new DeleteTopicState().setName(each)));
        return latest;
    }

    @Override
    public void createPartitions(CreatePartitionsRequestData request, Callback<CreatePartitionsResponseData> done) {
        operator(
                request,
                CreatePartitionsResponseData.class,
                request.timeoutMs(),
                (controller, reply) -> controller.createPartitions(request, reply),
                done);
    }

    @Override
    public void incrementalAlterConfigs(
            IncrementalAlterConfigsRequestData request, Callback<IncrementalAlterConfigsResponseData> done) {
        operator(
                request,
                IncrementalAlterConfigsResponseData.class,
                requestMillis,
                (controller, reply) -> controller.incrementalAlterConfigs(request, reply),
                done);
    }

    @Override
    public void alterConfigs(AlterConfigsRequestData request, Callback<AlterConfigsResponseData> done) {
        operator(
                request,
                AlterConfigsResponseData.class,
                requestMillis,
                (controller, reply) -> controller.alterConfigs(request, reply),
                done);
    }

    @Override
    public void alterClientQuotas(AlterClientQuotasRequestData request, Callback<AlterClientQuotasResponseData> done) {
        operator(
                request,
                AlterClientQuotasResponseData.class,
                requestMillis,
                (controller, reply) -> controller.alterClientQuotas(request, reply),
                done);
    }

    /** Version 0 says otherwise that a downgrade is allowed. */
    private static UpdateFeaturesRequestData ofLatestVersion(UpdateFeaturesRequestData request) {
        UpdateFeaturesRequestData latest = request.duplicate();
        latest.featureUpdates().forEach(each -> {
            if (each.allowDowngrade()) {
                each.setAllowDowngrade(false).setUpgradeType(SAFE_DOWNGRADE);
            }
        });
        return latest;
    }

    @Override
    public void updateFeatures(UpdateFeaturesRequestData request, Callback<UpdateFeaturesResponseData> done) {
        operator(
                ofLatestVersion(request),
                UpdateFeaturesResponseData.class,
                request.timeoutMs(),
                (controller, reply) -> controller.updateFeatures(request, reply),
                done);
    }

    @Override
    public void electLeaders(ElectLeadersRequestData request, Callback<ElectLeadersResponseData> done) {
        operator(
                request,
                ElectLeadersResponseData.class,
                request.timeoutMs(),
                (controller, reply) -> controller.electLeaders(request, reply),
                done);
    }

    @Override
    public void reassign(
            AlterPartitionReassignmentsRequestData request, Callback<AlterPartitionReassignmentsResponseData> done) {
        operator(
                request,
                AlterPartitionReassignmentsResponseData.class,
                request.timeoutMs(),
                (controller, reply) -> controller.reassign(request, reply),
                done);
    }

    @Override
    public void unregisterBroker(UnregisterBrokerRequestData request, Callback<UnregisterBrokerResponseData> done) {
        operator(
                request,
                UnregisterBrokerResponseData.class,
                requestMillis,
                (controller, reply) -> controller.unregisterBroker(request, reply),
                done);
    }

    @Override
    public void addRaftVoter(AddRaftVoterRequestData request, Callback<AddRaftVoterResponseData> done) {
        operator(
                request,
                AddRaftVoterResponseData.class,
                request.timeoutMs(),
                (controller, reply) -> controller.addRaftVoter(request, reply),
                done);
    }

    @Override
    public void removeRaftVoter(RemoveRaftVoterRequestData request, Callback<RemoveRaftVoterResponseData> done) {
        operator(
                request,
                RemoveRaftVoterResponseData.class,
                requestMillis,
                (controller, reply) -> controller.removeRaftVoter(request, reply),
                done);
    }

    @Override
    public void describeQuorum(DescribeQuorumRequestData request, Callback<DescribeQuorumResponseData> done) {
        operator(
                request,
                DescribeQuorumResponseData.class,
                requestMillis,
                (controller, reply) -> controller.describeQuorum(request, reply),
                done);
    }

    @Override
    public void allocateProducerIds(
            AllocateProducerIdsRequestData request, Callback<AllocateProducerIdsResponseData> done) {
        ask(
                request,
                AllocateProducerIdsResponseData.class,
                Urgency.BROKER,
                requestMillis,
                (controller, reply) -> controller.allocateProducerIds(request, reply),
                done);
    }

    @Override
    public void assignReplicasToDirs(
            AssignReplicasToDirsRequestData request, Callback<AssignReplicasToDirsResponseData> done) {
        ask(
                request,
                AssignReplicasToDirsResponseData.class,
                Urgency.BROKER,
                requestMillis,
                (controller, reply) -> controller.assignReplicasToDirs(request, reply),
                done);
    }

    @Override
    public void alterPartition(AlterPartitionRequestData request, Callback<AlterPartitionResponseData> done) {
        ask(
                request,
                AlterPartitionResponseData.class,
                Urgency.BROKER,
                ISR_MILLIS,
                (controller, reply) -> controller.alterPartition(request, reply),
                done);
    }

    @Override
    public void registerBroker(
            BrokerRegistrationRequestData request, BootReport report, Callback<BrokerRegistrationResponseData> done) {
        PeerTags.put(request, report);
        ask(
                request,
                BrokerRegistrationResponseData.class,
                Urgency.BROKER,
                REGISTRATION_MILLIS,
                (controller, reply) -> controller.registerBroker(request, report, reply),
                done);
    }

    @Override
    public void heartbeat(BrokerHeartbeatRequestData request, Callback<BrokerHeartbeatResponseData> done) {
        ask(
                request,
                BrokerHeartbeatResponseData.class,
                Urgency.ALIVE,
                sessionMillis,
                (controller, reply) -> controller.heartbeat(request, reply),
                done);
    }
}
