package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.ConfigTarget;
import metadata.Features;
import metadata.MetadataImage;
import metadata.MetadataRecords;

/**
 * While there are eligible leader replicas, min.insync.replicas of the brokers is one value in the metadata (KIP-966): a leader that went by another one could commit what
 * a replica that the controller calls eligible does not have (rule C5).
 */
final class MinIsrRules {

    private final String staticValue;

    /** @param staticValue of this node, for clusters that have none in their metadata yet */
    MinIsrRules(String staticValue) {
        this.staticValue = staticValue;
    }

    /** What must be true before replicas are eligible: a value for all brokers, and none of a single one. */
    List<MetadataRecord> oneForAll(MetadataImage image) {
        List<MetadataRecord> records = new ArrayList<>();
        ConfigTarget all = ConfigTarget.broker(-1);
        if (!image.configs(all).containsKey(Features.MIN_ISR)) {
            records.add(MetadataRecords.config(all, Features.MIN_ISR, staticValue));
        }
        for (ConfigTarget target : image.configTargets()) {
            boolean single = target.type() == ConfigTarget.BROKER && !target.equals(all);
            if (single && image.configs(target).containsKey(Features.MIN_ISR)) {
                records.add(MetadataRecords.config(target, Features.MIN_ISR, null));
            }
        }
        return records;
    }
}
