package group;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;

/**
 * One number for all that an assignment depends on of some topics (KIP-1101): ids, names, partitions and the racks of their replicas. Kept in the group's record,
 * so that a change while nobody looked is noticed. Not the hash of Kafka: a group that came from there is assigned once more.
 */
final class MetadataHash {
    private static final long OFFSET_BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;
    private static final SortedSet<String> NO_RACKS = Collections.emptySortedSet();

    private final MetadataImage image;
    private long hash = OFFSET_BASIS;

    private MetadataHash(MetadataImage image) {
        this.image = image;
    }

    /** The last one is remembered: members that come one after the other read the same topics. */
    static final class Memo {
        private SortedSet<String> topics;
        // Not the image: groups that nobody uses would keep old ones in memory.
        private long version;
        private long hash;

        /** @param names not to be changed afterwards */
        long of(SortedSet<String> names, MetadataImage now) {
            if (version != now.version() || !names.equals(topics)) {
                hash = MetadataHash.of(names, now);
                topics = names;
                version = now.version();
            }
            return hash;
        }
    }

    /** 0 when none of the topics exists. */
    static long of(SortedSet<String> topics, MetadataImage image) {
        MetadataHash hash = new MetadataHash(image);
        int known = 0;
        for (String name : topics) {
            TopicImage topic = image.topic(name);
            if (topic != null) {
                hash.add(topic);
                known++;
            }
        }
        return known == 0 ? 0 : hash.mixed();
    }

    private void add(TopicImage topic) {
        add(topic.id().getMostSignificantBits());
        add(topic.id().getLeastSignificantBits());
        add(topic.name());
        add(topic.partitions().size());
        for (PartitionImage partition : topic.partitions()) {
            SortedSet<String> racks = racks(partition);
            racks.forEach(this::add);
            add(racks.size());
        }
    }

    /** Mostly there are none: this runs for each partition at each join. */
    private SortedSet<String> racks(PartitionImage partition) {
        SortedSet<String> racks = NO_RACKS;
        for (int replica : partition.replicas()) {
            BrokerImage broker = image.broker(replica);
            if (broker != null && broker.rack() != null) {
                racks = racks.isEmpty() ? new TreeSet<>() : racks;
                racks.add(broker.rack());
            }
        }
        return racks;
    }

    private void add(String text) {
        add(text.length());
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * PRIME;
        }
    }

    private void add(long number) {
        hash = (hash ^ number) * PRIME;
        hash ^= hash >>> 32;
    }

    /** Spreads each bit over all; never 0, which stands for no topics. */
    private long mixed() {
        long mixed = hash;
        mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        mixed ^= mixed >>> 33;
        return mixed == 0 ? 1 : mixed;
    }
}
