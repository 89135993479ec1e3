package verticles;

import common.Failure;
import common.FailureCode;
import common.Peers;
import common.Timers;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.vertx.core.Vertx;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.net.ConnectException;
import protocol.PeerDialer;
import protocol.TransportListener;

/** Sockets from one event loop to other nodes. On that loop. */
final class SocketPeers implements PeerDialer {
    private final OwnerLoop owner;
    private final ByteBufAllocator allocator;
    private final Vertx vertx;
    private final VertxTimers timers;
    private NetClient client;

    SocketPeers(Vertx vertx, OwnerLoop owner, ByteBufAllocator allocator) {
        this.owner = owner;
        this.allocator = allocator;
        this.timers = new VertxTimers(owner);
        this.vertx = vertx;
    }

    /** Made when it is needed: a node alone dials nobody. */
    private NetClient client() {
        if (client == null) {
            client = vertx.createNetClient(new NetClientOptions()
                    .setTcpNoDelay(true)
                    .setTcpKeepAlive(true)
                    .setConnectTimeout(DIAL_MILLIS));
        }
        return client;
    }

    @Override
    public void dial(Peers.Address to, Attempt attempt) {
        Dialled socket = new Dialled(to, attempt);
        // The name's resolution takes time, too.
        socket.deadline = timers.after(DIAL_MILLIS, socket::late);
        // Its own context: what Vert.x tells, it tells on this loop.
        client().connect(to.port(), to.host()).onComplete(result -> {
            if (result.succeeded()) {
                owner.enter(() -> socket.open(result.result()));
            } else {
                owner.enter(() -> socket.failed(result.cause()));
            }
        });
    }

    /** One attempt: the first of its outcomes counts. */
    private final class Dialled {
        private final Peers.Address to;
        private final Attempt attempt;
        private Timers.Handle deadline;
        private boolean over;

        Dialled(Peers.Address to, Attempt attempt) {
            this.to = to;
            this.attempt = attempt;
        }

        void open(NetSocket socket) {
            Channel channel =
                    ((NetSocketInternal) socket).channelHandlerContext().channel();
            if (over) {
                channel.close();
                return;
            }
            over = true;
            deadline.cancel();
            new SocketEnd<TransportListener>(owner, attempt::connected, () -> {}).takeOver(channel, allocator);
        }

        void failed(Throwable why) {
            boolean refused = why instanceof ConnectException
                    && String.valueOf(why.getMessage()).contains("refused");
            end(refused ? FailureCode.PEER_REFUSED : FailureCode.PEER_UNREACHABLE, String.valueOf(why.getMessage()));
        }

        void late() {
            end(FailureCode.PEER_UNREACHABLE, to + " did not accept the connection in time");
        }

        private void end(FailureCode code, String why) {
            if (!over) {
                over = true;
                deadline.cancel();
                attempt.failed(new Failure(code, why));
            }
        }
    }
}
