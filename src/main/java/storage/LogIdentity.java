package storage;

/**
 * Which partition a log holds.
 *
 * @param topicId the topic's id in Kafka's text form (URL-safe base64 of 16 bytes), as in partition.metadata
 */
public record LogIdentity(String topic, int partition, String topicId) {

    /** Name of the partition's directory, as Kafka's: topic-partition. */
    public String directory() {
        return topic + "-" + partition;
    }
}
