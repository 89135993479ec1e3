package node;

import common.FailureCode;
import common.Peers;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.Endpoint;
import org.apache.kafka.common.message.ApiVersionsRequestData;

/**
 * Brokers that others did not find where they should be: the active controller looks itself before it believes it, as the fault may be on the way of those others. Only where a
 * process is surely gone nobody listens at its address while its machine answers (L1). On the controller's owner.
 */
final class SuspectedBrokers {
    private static final int LOOK_MILLIS = 1_000;
    private static final int LOOKS = 3;

    private final Peers peers;
    private final String listener;
    private final Supplier<MetadataImage> image;
    private final Consumer<BrokerImage> gone;
    private final Set<Integer> looking = new TreeSet<>();

    /**
     * @param listener by which brokers reach one another; null when this node does not know
     * @param gone told of brokers whose process is gone
     */
    SuspectedBrokers(Peers peers, String listener, Supplier<MetadataImage> image, Consumer<BrokerImage> gone) {
        this.peers = peers;
        this.listener = listener;
        this.image = image;
        this.gone = gone;
    }

    void look(int brokerId) {
        BrokerImage broker = image.get().broker(brokerId);
        Peers.Address address = broker == null || broker.fenced() ? null : address(broker);
        if (address == null || !looking.add(brokerId)) {
            return;
        }
        dial(broker, address, LOOKS);
    }

    /** A process that is just ending may still take a connection, and lose it. */
    private void dial(BrokerImage broker, Peers.Address address, int looks) {
        Peers.Peer line = peers.line(address);
        line.send(new ApiVersionsRequestData(), LOOK_MILLIS, (answer, failure) -> {
            line.close();
            FailureCode code = failure == null ? null : failure.code();
            if (code == FailureCode.PEER_LOST && looks > 1) {
                dial(broker, address, looks - 1);
                return;
            }
            looking.remove(broker.id());
            if (code == FailureCode.PEER_REFUSED) {
                gone.accept(broker);
            }
        });
    }

    private Peers.Address address(BrokerImage broker) {
        Endpoint found = null;
        for (Endpoint each : broker.endpoints()) {
            if (each.host() != null && (found == null || each.listener().equals(listener))) {
                found = each;
            }
        }
        return found == null ? null : new Peers.Address(found.host(), found.port());
    }
}
