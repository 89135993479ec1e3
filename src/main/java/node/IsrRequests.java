package node;

import common.Failure;
import common.Mailboxes;
import common.Metrics;
import common.OwnerId;
import common.PartitionId;
import controller.Controller;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import replication.IsrChanges;
import replication.IsrProposal;
import replication.IsrProposal.Member;
import replication.IsrProposal.Refusal;
import replication.IsrState;
import storage.LogIdentity;

/**
 * Carries what the leaders of one shard propose to the controller (AlterPartition): one request at a time with all that has come meanwhile (rule I9). Confined to
 * the shard.
 */
final class IsrRequests implements IsrChanges {
    private static final Logger LOG = LoggerFactory.getLogger(IsrRequests.class);
    private static final OwnerId<Controller> CONTROLLER = new OwnerId<>(Controller.class, 0);
    /** Partitions of one request. */
    private static final int MOST = 2_000;
    /** After it the outcome counts as unknown, and is asked for again. */
    private static final long TIMEOUT_MILLIS = 3_000;

    private static final byte RECOVERED = 0;
    private static final byte RECOVERING = 1;

    private final Mailboxes mailboxes;
    private final int nodeId;
    private final Supplier<MetadataImage> image;
    private final ToIntFunction<TopicImage> minIsr;
    private final Consumer<Runnable> soon;
    private final Metrics.Counter shrinks;
    private final Metrics.Counter expands;
    private final Metrics.Counter failures;
    private final Map<PartitionId, Asked> waiting = new LinkedHashMap<>();
    private boolean underWay;
    private boolean comes;

    /** @param before the state that the proposal is to replace, as the metadata has it */
    private record Asked(
            PartitionId id,
            String name,
            PartitionImage before,
            int minIsr,
            IsrProposal proposal,
            IsrChanges.Outcome outcome) {}

    /**
     * @param image the newest that this shard knows
     * @param minIsr of its topics
     * @param soon runs a task on the shard, never inside the caller's stack
     */
    IsrRequests(
            Mailboxes mailboxes,
            Metrics metrics,
            int nodeId,
            Supplier<MetadataImage> image,
            ToIntFunction<TopicImage> minIsr,
            Consumer<Runnable> soon) {
        this.mailboxes = mailboxes;
        this.nodeId = nodeId;
        this.image = image;
        this.minIsr = minIsr;
        this.soon = soon;
        this.shrinks = metrics.counter(
                "kafka_server_replicamanager_isrshrinks_total", "Replicas that lagged or failed have left an ISR");
        this.expands = metrics.counter(
                "kafka_server_replicamanager_isrexpands_total", "Replicas that caught up have joined an ISR");
        this.failures = metrics.counter(
                "kafka_server_replicamanager_failedisrupdates_total", "Changes of an ISR that the controller refused");
    }

    @Override
    public void ask(LogIdentity partition, IsrProposal proposal, Outcome outcome) {
        PartitionId id = new PartitionId(Uuid.fromString(partition.topicId()), partition.partition());
        TopicImage topic = image.get().topic(id.topicId());
        if (topic == null || id.partition() >= topic.partitions().size()) {
            outcome.refused(Refusal.OUTDATED);
            return;
        }
        PartitionImage before = topic.partitions().get(id.partition());
        Asked former = waiting.put(
                id, new Asked(id, partition.directory(), before, minIsr.applyAsInt(topic), proposal, outcome));
        if (former != null) {
            former.outcome.refused(Refusal.UNKNOWN);
        }
        if (!comes && !underWay) {
            comes = true;
            soon.accept(() -> {
                comes = false;
                send();
            });
        }
    }

    private void send() {
        BrokerImage self = image.get().broker(nodeId);
        if (underWay || waiting.isEmpty()) {
            return;
        }
        Map<PartitionId, Asked> sent = new LinkedHashMap<>();
        for (Asked each : waiting.values()) {
            if (sent.size() < MOST) {
                sent.put(each.id, each);
            }
        }
        waiting.keySet().removeAll(sent.keySet());
        if (self == null) {
            sent.values().forEach(each -> each.outcome.refused(Refusal.UNKNOWN));
            return;
        }
        underWay = true;
        AlterPartitionRequestData request = request(self, sent.values());
        mailboxes.<Controller, AlterPartitionResponseData>call(
                CONTROLLER,
                (controller, reply) -> controller.alterPartition(request, reply),
                TIMEOUT_MILLIS,
                (answer, failure) -> {
                    underWay = false;
                    answered(sent, answer, failure);
                    send();
                });
    }

    private static AlterPartitionRequestData request(BrokerImage self, Iterable<Asked> all) {
        Map<Uuid, AlterPartitionRequestData.TopicData> topics = new LinkedHashMap<>();
        for (Asked each : all) {
            List<AlterPartitionRequestData.BrokerState> isr = new ArrayList<>();
            for (Member member : each.proposal.isr()) {
                isr.add(new AlterPartitionRequestData.BrokerState()
                        .setBrokerId(member.id())
                        .setBrokerEpoch(member.brokerEpoch()));
            }
            topics.computeIfAbsent(
                            each.id.topicId(), topic -> new AlterPartitionRequestData.TopicData().setTopicId(topic))
                    .partitions()
                    .add(new AlterPartitionRequestData.PartitionData()
                            .setPartitionIndex(each.id.partition())
                            .setLeaderEpoch(each.proposal.leaderEpoch())
                            .setPartitionEpoch(each.proposal.partitionEpoch())
                            .setNewIsrWithEpochs(isr)
                            .setLeaderRecoveryState(each.proposal.recovering() ? RECOVERING : RECOVERED));
        }
        return new AlterPartitionRequestData()
                .setBrokerId(self.id())
                .setBrokerEpoch(self.epoch())
                .setTopics(List.copyOf(topics.values()));
    }

    private void answered(Map<PartitionId, Asked> sent, AlterPartitionResponseData answer, Failure failure) {
        if (failure != null || answer.errorCode() != Errors.NONE.code()) {
            LOG.warn(
                    "the controller has not decided on the in-sync replicas of {} partition(s), it is asked again: {}",
                    sent.size(),
                    failure != null
                            ? failure.message()
                            : Errors.forCode(answer.errorCode()).name());
        } else {
            for (AlterPartitionResponseData.TopicData topic : answer.topics()) {
                for (AlterPartitionResponseData.PartitionData each : topic.partitions()) {
                    Asked asked = sent.remove(new PartitionId(topic.topicId(), each.partitionIndex()));
                    if (asked != null) {
                        tell(asked, each);
                    }
                }
            }
        }
        sent.values().forEach(each -> each.outcome.refused(Refusal.UNKNOWN));
    }

    private void tell(Asked asked, AlterPartitionResponseData.PartitionData told) {
        Errors error = Errors.forCode(told.errorCode());
        if (error == Errors.NONE && told.leaderId() == nodeId) {
            int change = told.isr().size() - asked.before.isr().size();
            shrinks.add(change < 0 ? 1 : 0);
            expands.add(change > 0 ? 1 : 0);
            LOG.info("{}: in-sync replicas {}, before {}", asked.name, told.isr(), asked.before.isr());
            asked.outcome.changed(new IsrState(
                    told.leaderEpoch(),
                    told.partitionEpoch(),
                    asked.before.replicas(),
                    told.isr(),
                    asked.minIsr,
                    told.leaderRecoveryState() == RECOVERING));
            return;
        }
        failures.add(1);
        Refusal refusal = refusal(error);
        LOG.info(
                "{}: the controller has refused {} as in-sync replicas: {}",
                asked.name,
                asked.proposal.isr().stream().map(Member::id).toList(),
                error.name());
        asked.outcome.refused(refusal);
    }

    private static Refusal refusal(Errors error) {
        return switch (error) {
            case INELIGIBLE_REPLICA -> Refusal.INELIGIBLE;
            case NONE,
                    FENCED_LEADER_EPOCH,
                    INVALID_UPDATE_VERSION,
                    INVALID_REQUEST,
                    NEW_LEADER_ELECTED,
                    UNKNOWN_TOPIC_ID,
                    UNKNOWN_TOPIC_OR_PARTITION -> Refusal.OUTDATED;
            default -> Refusal.UNKNOWN;
        };
    }
}
