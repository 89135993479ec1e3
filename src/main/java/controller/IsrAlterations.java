package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.protocol.Errors;

/** AlterPartition (KIP-497, KIP-704, KIP-841, KIP-903): leaders propose who is in the ISR. Checked in the order of rule C6. */
final class IsrAlterations {

    /** The broker epoch of a member is not known to the leader. */
    private static final long ANY_EPOCH = -1;

    private record Key(Uuid topicId, int partition) {}

    private static final byte RECOVERED = 0;
    private static final byte RECOVERING = 1;

    Decision<AlterPartitionResponseData> decide(PartitionChanges changes, AlterPartitionRequestData request) {
        MetadataImage image = changes.image();
        BrokerImage sender = image.broker(request.brokerId());
        if (sender == null || sender.epoch() != request.brokerEpoch()) {
            return Decision.unchanged(new AlterPartitionResponseData().setErrorCode(Errors.STALE_BROKER_EPOCH.code()));
        }
        List<MetadataRecord> records = new ArrayList<>();
        Set<Key> answered = new LinkedHashSet<>();
        AlterPartitionResponseData answer = new AlterPartitionResponseData();
        for (AlterPartitionRequestData.TopicData asked : request.topics()) {
            TopicImage topic = image.topic(asked.topicId());
            AlterPartitionResponseData.TopicData told =
                    new AlterPartitionResponseData.TopicData().setTopicId(asked.topicId());
            for (AlterPartitionRequestData.PartitionData each : asked.partitions()) {
                boolean once = answered.add(new Key(asked.topicId(), each.partitionIndex()));
                told.partitions()
                        .add(
                                once
                                        ? alter(changes, sender.id(), topic, each, records)
                                        : told(each, Errors.INVALID_REQUEST));
            }
            answer.topics().add(told);
        }
        return Decision.inParts(records, answer);
    }

    private static AlterPartitionResponseData.PartitionData alter(
            PartitionChanges changes,
            int sender,
            TopicImage topic,
            AlterPartitionRequestData.PartitionData asked,
            List<MetadataRecord> records) {
        Errors refused = refusal(changes.image(), sender, topic, asked);
        if (refused != Errors.NONE) {
            return told(asked, refused);
        }
        PartitionImage before = topic.partitions().get(asked.partitionIndex());
        PartitionImage after = changes.of(topic, before)
                .withIsr(members(asked).stream().map(BrokerState::brokerId).toList())
                .withRecovering(asked.leaderRecoveryState() == RECOVERING)
                .next();
        PartitionChanges.add(records, topic, before, after);
        if (after.leader() != sender) {
            // It proposed the end of a reassignment that it is not part of.
            return told(asked, Errors.NEW_LEADER_ELECTED);
        }
        return told(asked, Errors.NONE)
                .setLeaderId(after.leader())
                .setLeaderEpoch(after.leaderEpoch())
                .setIsr(after.isr())
                .setLeaderRecoveryState(after.eligible().recovering() ? RECOVERING : RECOVERED)
                .setPartitionEpoch(after.partitionEpoch());
    }

    /** C6. NONE: it may be done. */
    private static Errors refusal(
            MetadataImage image, int sender, TopicImage topic, AlterPartitionRequestData.PartitionData asked) {
        if (topic == null) {
            return Errors.UNKNOWN_TOPIC_ID;
        }
        int index = asked.partitionIndex();
        if (index < 0 || index >= topic.partitions().size()) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        PartitionImage partition = topic.partitions().get(index);
        if (asked.leaderEpoch() > partition.leaderEpoch() || asked.partitionEpoch() > partition.partitionEpoch()) {
            return Errors.NOT_CONTROLLER;
        }
        if (asked.leaderEpoch() < partition.leaderEpoch()) {
            return Errors.FENCED_LEADER_EPOCH;
        }
        if (sender != partition.leader()) {
            return Errors.INVALID_REQUEST;
        }
        if (asked.partitionEpoch() < partition.partitionEpoch()) {
            return Errors.INVALID_UPDATE_VERSION;
        }
        return refusal(image, partition, asked);
    }

    private static Errors refusal(
            MetadataImage image, PartitionImage partition, AlterPartitionRequestData.PartitionData asked) {
        List<BrokerState> members = members(asked);
        List<Integer> ids = members.stream().map(BrokerState::brokerId).toList();
        boolean doubled = ids.stream().distinct().count() < ids.size();
        if (doubled || !partition.replicas().containsAll(ids) || !ids.contains(partition.leader())) {
            return Errors.INVALID_REQUEST;
        }
        boolean recovering = asked.leaderRecoveryState() == RECOVERING;
        boolean known = recovering || asked.leaderRecoveryState() == RECOVERED;
        if (!known || (recovering && (ids.size() > 1 || !partition.eligible().recovering()))) {
            return Errors.INVALID_REQUEST;
        }
        for (BrokerState member : members) {
            BrokerImage broker = image.broker(member.brokerId());
            boolean another =
                    broker != null && member.brokerEpoch() != ANY_EPOCH && member.brokerEpoch() != broker.epoch();
            boolean online = image.isDirectoryOnline(partition, member.brokerId());
            if (!PartitionChanges.isActive(broker) || another || !online) {
                return Errors.INELIGIBLE_REPLICA;
            }
        }
        return Errors.NONE;
    }

    /** Version 2 has ids only. */
    private static List<BrokerState> members(AlterPartitionRequestData.PartitionData asked) {
        return asked.newIsrWithEpochs().isEmpty()
                ? asked.newIsr().stream()
                        .map(each -> new BrokerState().setBrokerId(each).setBrokerEpoch(ANY_EPOCH))
                        .toList()
                : asked.newIsrWithEpochs();
    }

    private static AlterPartitionResponseData.PartitionData told(
            AlterPartitionRequestData.PartitionData asked, Errors error) {
        return new AlterPartitionResponseData.PartitionData()
                .setPartitionIndex(asked.partitionIndex())
                .setErrorCode(error.code());
    }
}
