package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.EffectiveConfigs;
import metadata.Features;
import metadata.MetadataImage;
import metadata.MetadataImage.Eligible;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;

/**
 * What changed settings do to partitions at once: another min.insync.replicas to who is eligible (rule C5), unclean.leader.election.enable to partitions without a
 * leader (KIP-106), eligible.leader.replicas.version to both.
 */
final class SettingConsequences {

    private final EffectiveConfigs configs;
    private final BrokerSessions sessions;

    SettingConsequences(EffectiveConfigs configs, BrokerSessions sessions) {
        this.configs = configs;
        this.sessions = sessions;
    }

    /** The decision with them. Nobody stays eligible under a setting that no longer makes them so; nobody leads with loss before that is allowed. */
    <T> Decision<T> of(MetadataImage image, Decision<T> decision) {
        if (decision.records().stream().noneMatch(SettingConsequences::matters)) {
            return decision;
        }
        Draft draft = new Draft(image);
        draft.add(decision.records());
        PartitionChanges changes = new PartitionChanges(draft.image(), configs, sessions::isFresh);
        List<MetadataRecord> before = new ArrayList<>();
        List<MetadataRecord> after = new ArrayList<>();
        for (TopicImage topic : draft.image().topics()) {
            for (PartitionImage each : topic.partitions()) {
                if (each.leader() < 0 || !each.eligible().equals(Eligible.ISR_ONLY)) {
                    PartitionImage next = changes.of(topic, each).next();
                    boolean withLoss = PartitionChange.isElectedWithLoss(each, next);
                    PartitionChanges.add(withLoss ? after : before, topic, each, next);
                }
            }
        }
        List<MetadataRecord> all = new ArrayList<>(before);
        all.addAll(decision.records());
        all.addAll(after);
        return before.isEmpty() && after.isEmpty() ? decision : Decision.inParts(all, decision.answer());
    }

    private static boolean matters(MetadataRecord record) {
        return switch (record.getValueCase()) {
            case CONFIG -> {
                String key = record.getConfig().getKey();
                yield key.equals(Features.MIN_ISR) || key.equals(PartitionChanges.UNCLEAN);
            }
            case FEATURE_LEVEL -> record.getFeatureLevel().getName().equals(Features.ELIGIBLE_LEADERS);
            default -> false;
        };
    }
}
