package metadata;

/**
 * What dynamic configs belong to.
 *
 * @param type Kafka's resource type id: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group (org.apache.kafka.common.config.ConfigResource.Type)
 * @param name topic, node id ("" for all brokers), subscription or group
 */
public record ConfigTarget(byte type, String name) implements Comparable<ConfigTarget> {

    public static final byte TOPIC = 2;
    public static final byte BROKER = 4;
    public static final byte BROKER_LOGGER = 8;
    public static final byte CLIENT_METRICS = 16;
    public static final byte GROUP = 32;

    public static ConfigTarget topic(String name) {
        return new ConfigTarget(TOPIC, name);
    }

    /** @param nodeId -1: all brokers */
    public static ConfigTarget broker(int nodeId) {
        return new ConfigTarget(BROKER, nodeId < 0 ? "" : Integer.toString(nodeId));
    }

    @Override
    public int compareTo(ConfigTarget other) {
        return type != other.type ? Byte.compare(type, other.type) : name.compareTo(other.name);
    }
}
