package controller;

import controller.PartitionChange.Standard;
import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import metadata.EffectiveConfigs;
import metadata.Features;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import metadata.MetadataRecords;

/** Begins {@link PartitionChange}s with what is in force for their topic in one image, and makes the records of many. */
final class PartitionChanges {

    static final String UNCLEAN = "unclean.leader.election.enable";

    private final MetadataImage image;
    private final IntPredicate active;
    private final IntPredicate fresh;
    private final boolean elr;
    private final int minInsync;
    private final boolean unclean;

    /**
     * @param image who is there, the topics, and the settings
     * @param fresh brokers heard of lately
     */
    PartitionChanges(MetadataImage image, EffectiveConfigs configs, IntPredicate fresh) {
        this.image = image;
        this.active = broker -> isActive(image.broker(broker));
        this.fresh = fresh;
        this.elr = image.features().level(Features.ELIGIBLE_LEADERS) > 0;
        this.minInsync = number(configs.topicDefault(image, Features.MIN_ISR));
        this.unclean = truth(configs.topicDefault(image, UNCLEAN));
    }

    private PartitionChanges(PartitionChanges other, MetadataImage image, IntPredicate active) {
        this.image = image;
        this.active = active;
        this.fresh = other.fresh;
        this.elr = other.elr;
        this.minInsync = other.minInsync;
        this.unclean = other.unclean;
    }

    /** Registered, not fenced, not shutting down (C2). */
    static boolean isActive(BrokerImage broker) {
        return broker != null && !broker.fenced() && !broker.inControlledShutdown();
    }

    /** As if the broker took no part any more. */
    PartitionChanges without(int broker) {
        return new PartitionChanges(this, image, each -> each != broker && active.test(each));
    }

    /** As if the broker took part. */
    PartitionChanges with(int broker) {
        return new PartitionChanges(this, image, each -> each == broker || active.test(each));
    }

    /** The same settings and brokers, with what another image says of their directories. */
    PartitionChanges in(MetadataImage other) {
        return new PartitionChanges(this, other, active);
    }

    boolean areActive(List<Integer> brokers) {
        return brokers.stream().allMatch(active::test);
    }

    MetadataImage image() {
        return image;
    }

    PartitionChange of(TopicImage topic, PartitionImage partition) {
        String ownMin = topic.configs().get(Features.MIN_ISR);
        int min = ownMin == null ? minInsync : number(ownMin);
        IntPredicate able = broker -> active.test(broker) && image.isDirectoryOnline(partition, broker);
        return new PartitionChange(partition, new Standard(min, elr, allowsUnclean(topic), able, fresh));
    }

    boolean allowsUnclean(TopicImage topic) {
        String own = topic.configs().get(UNCLEAN);
        return own == null ? unclean : truth(own);
    }

    /** The records of all partitions that {@code concerned} picks and that change. */
    List<MetadataRecord> all(Predicate<PartitionImage> concerned, Function<PartitionChange, PartitionChange> change) {
        List<MetadataRecord> records = new ArrayList<>();
        for (TopicImage topic : image.topics()) {
            for (PartitionImage each : topic.partitions()) {
                if (concerned.test(each)) {
                    add(records, topic, each, change.apply(of(topic, each)).next());
                }
            }
        }
        return records;
    }

    /** As {@link #all} when nothing but who is there has changed. */
    List<MetadataRecord> all(Predicate<PartitionImage> concerned) {
        return all(concerned, Function.identity());
    }

    /** True when it did change. */
    static boolean add(List<MetadataRecord> records, TopicImage topic, PartitionImage before, PartitionImage after) {
        if (after.partitionEpoch() == before.partitionEpoch()) {
            return false;
        }
        records.add(MetadataRecords.partition(topic.id(), after));
        return true;
    }

    private static int number(String value) {
        return Integer.parseInt(value.trim());
    }

    private static boolean truth(String value) {
        return Boolean.parseBoolean(value.trim());
    }
}
