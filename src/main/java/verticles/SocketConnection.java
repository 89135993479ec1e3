package verticles;

import java.util.function.BiFunction;
import protocol.Connection;
import protocol.ConnectionInfo;
import protocol.Transport;

/** A client's socket at the door. Event loop only. */
final class SocketConnection extends SocketEnd<Connection> {
    /** Where this connection stands in its server's list. */
    int index;

    /** @param closed runs once when the connection is gone */
    SocketConnection(
            OwnerLoop owner,
            ConnectionInfo info,
            BiFunction<ConnectionInfo, Transport, Connection> connections,
            Runnable closed) {
        super(owner, transport -> connections.apply(info, transport), closed);
    }

    /** About once a second. */
    void tick() {
        guarded(listener()::onTick);
    }

    /** Reads no more; closes once everything read so far is answered. Called again and again while the server stops. */
    void drain() {
        readNoMore();
        if (listener().quiet()) {
            close("the broker is stopping");
        }
    }
}
