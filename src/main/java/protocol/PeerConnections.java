package protocol;

import common.Peers;
import common.Timers;

/** The lines of one loop to other nodes. Confined to it. */
public final class PeerConnections implements Peers {
    private final PeerDialer dialer;
    private final BufferPool buffers;
    private final Timers timers;
    private final RequestEncoder encoder;

    /** @param clientId by which this node shows in the other's logs and metrics */
    public PeerConnections(PeerDialer dialer, BufferPool buffers, Timers timers, String clientId) {
        this.dialer = dialer;
        this.buffers = buffers;
        this.timers = timers;
        this.encoder = new RequestEncoder(clientId);
    }

    @Override
    public Peer line(Address to) {
        return new PeerLine(this, to);
    }

    PeerDialer dialer() {
        return dialer;
    }

    BufferPool buffers() {
        return buffers;
    }

    Timers timers() {
        return timers;
    }

    RequestEncoder encoder() {
        return encoder;
    }
}
