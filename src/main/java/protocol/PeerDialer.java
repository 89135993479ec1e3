package protocol;

import common.Failure;
import common.Peers;

/** Opens connections to other nodes; implemented by the host (sockets, or the simulator's wires). Confined to one loop. */
public interface PeerDialer {

    /** How long an attempt may take: one that takes longer has failed and leaves nothing behind. */
    int DIAL_MILLIS = 5_000;

    /** Tries to open one connection; tells {@code attempt} once, later, on this loop. */
    void dial(Peers.Address to, Attempt attempt);

    /** Who waits for a connection. */
    interface Attempt {

        /** It is open; the returned listener is told of all that happens on it. */
        TransportListener connected(Transport transport);

        /** With PEER_REFUSED or PEER_UNREACHABLE, and the system's reason. */
        void failed(Failure why);
    }
}
