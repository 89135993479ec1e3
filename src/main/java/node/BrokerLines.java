package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Peers;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.protocol.ApiMessage;

/** Lines of one owner to the brokers that lead what it asks about: one to each, opened when there is something to ask. Confined to its loop. */
final class BrokerLines {
    /** No other broker is to be asked. */
    static final int NOBODY = -1;

    private final Peers peers;
    private final InterBroker interBroker;
    private final int nodeId;
    private final Supplier<MetadataImage> image;
    private final Map<Integer, Line> lines = new TreeMap<>();

    private record Line(Peers.Address to, Peers.Peer peer) {}

    /**
     * @param nodeId this node's
     * @param image the newest that this loop has
     */
    BrokerLines(Peers peers, InterBroker interBroker, int nodeId, Supplier<MetadataImage> image) {
        this.peers = peers;
        this.interBroker = interBroker;
        this.nodeId = nodeId;
        this.image = image;
    }

    MetadataImage image() {
        return image.get();
    }

    /** Who leads a partition; {@link #NOBODY} when it is this node, or nobody, or one that cannot be reached. */
    int otherLeader(String topicName, int partition) {
        TopicImage topic = image.get().topic(topicName);
        if (topic == null || partition < 0 || partition >= topic.partitions().size()) {
            return NOBODY;
        }
        PartitionImage led = topic.partitions().get(partition);
        return led.leader() == nodeId || address(led.leader()) == null ? NOBODY : led.leader();
    }

    private Peers.Address address(int broker) {
        BrokerImage found = broker < 0 ? null : image.get().broker(broker);
        return found == null ? null : interBroker.addressOf(found);
    }

    /** @param done fails as {@link Peers.Peer#send}; never inside of the call */
    <A extends ApiMessage> void send(int broker, ApiMessage request, Class<A> answer, int millis, Callback<A> done) {
        line(broker).peer.send(request, millis, (got, failure) -> {
            Failure why = failure != null || answer.isInstance(got.message())
                    ? failure
                    : Failure.of(FailureCode.INTERNAL, "broker " + broker + " answered something else");
            done.done(why == null ? answer.cast(got.message()) : null, why);
        });
    }

    private Line line(int broker) {
        Peers.Address to = address(broker);
        Line line = lines.get(broker);
        if (line == null || !line.to.equals(to)) {
            if (line != null) {
                line.peer.close();
            }
            line = new Line(to, peers.line(to));
            lines.put(broker, line);
        }
        return line;
    }
}
