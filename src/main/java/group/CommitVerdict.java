package group;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/**
 * Whether a commit may take effect (rules G3, G6, G7).
 *
 * @param error NONE, or why none of it may
 * @param partitions judges each partition when {@code error} is NONE: a commit of an older member epoch holds only for partitions that the member has owned
 *     since (KIP-1251)
 */
public record CommitVerdict(Errors error, PartitionRule partitions) {

    public static final CommitVerdict ACCEPTED = of(Errors.NONE);

    public static CommitVerdict of(Errors error) {
        return new CommitVerdict(error, (topic, topicId, partition) -> Errors.NONE);
    }

    @FunctionalInterface
    public interface PartitionRule {
        /** NONE, or why this partition is refused. {@code topicId} is ZERO_UUID when not known. */
        Errors check(String topic, Uuid topicId, int partition);
    }
}
