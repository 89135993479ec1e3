package verticles;

import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import protocol.Connection;
import protocol.ConnectionInfo;
import protocol.Transport;

/** A TCP door on one event loop: accepts this loop's share of the connections of its listeners. Instances: one per loop and door. */
final class KafkaServerVerticle extends VerticleBase {
    private static final long TICK_MILLIS = 1_000;
    private static final long DRAIN_SECONDS = 2;
    private static final long DRAIN_CHECK_MILLIS = 10;

    private final Door door;
    private final List<NetServer> servers = new ArrayList<>();
    private final List<SocketConnection> connections = new ArrayList<>();

    private OwnerLoop owner;
    private BiFunction<ConnectionInfo, Transport, Connection> newConnection;
    private VertxTimers timers;
    private final List<Runnable> early = new ArrayList<>();
    private boolean ticking;
    private long accepted;
    private boolean stopping;
    private final Promise<Void> empty = Promise.promise();

    KafkaServerVerticle(Door door) {
        this.door = door;
    }

    @Override
    public Future<?> start() {
        owner = door.loops().current();
        timers = new VertxTimers(owner);
        if (!door.isOn(owner)) {
            return Future.succeededFuture();
        }
        List<Future<?>> bound = new ArrayList<>();
        List<Door.Address> addresses = door.addresses();
        for (int listener = 0; listener < addresses.size(); listener++) {
            bound.add(listen(addresses.get(listener), listener));
        }
        door.whenOpen(() -> owner.post(this::open));
        return Future.all(bound);
    }

    private void open() {
        newConnection = door.connections().apply(owner);
        early.forEach(Runnable::run);
        early.clear();
    }

    private Future<?> listen(Door.Address address, int listener) {
        NetServerOptions options = new NetServerOptions()
                .setTcpNoDelay(true)
                .setTcpKeepAlive(true)
                .setAcceptBacklog(door.network().listenBacklog());
        if (door.network().sendBufferBytes() > 0) {
            options.setSendBufferSize(door.network().sendBufferBytes());
        }
        if (door.network().receiveBufferBytes() > 0) {
            options.setReceiveBufferSize(door.network().receiveBufferBytes());
        }
        NetServer server = vertx.createNetServer(options);
        servers.add(server);
        server.connectHandler(socket -> connected(address.listener(), socket));
        int port = address.bind().getPort();
        // Vert.x shares a free port among the instances of a negative one.
        SocketAddress bind = port == 0
                ? SocketAddress.sharedRandomPort(
                        door.freePort(listener), address.bind().getAddress().getHostAddress())
                : SocketAddress.inetSocketAddress(address.bind());
        return server.listen(bind)
                .onSuccess(done -> door.bound(listener, server.actualPort()))
                .recover(failure -> Future.failedFuture(notBound(address, failure)));
    }

    /** Epoll and NIO throw different types, with the system's text. */
    private static StartException notBound(Door.Address address, Throwable failure) {
        String text = String.valueOf(failure.getMessage());
        String advice = text.contains("in use")
                ? "Stop the process that listens there (another broker?), or choose another port; 0 takes a free one."
                : "Use an address of this machine, or 0.0.0.0 for all of them, and a port that this user may open.";
        return new StartException("listeners=" + address + ": cannot listen there (" + text + "). " + advice);
    }

    private void connected(String listener, NetSocket socket) {
        Channel channel = ((NetSocketInternal) socket).channelHandlerContext().channel();
        if (!(channel.remoteAddress() instanceof InetSocketAddress remote)
                || !(channel.localAddress() instanceof InetSocketAddress local)) {
            channel.close();
            return;
        }
        if (newConnection == null) {
            channel.config().setAutoRead(false);
            early.add(() -> {
                if (channel.isActive()) {
                    accept(listener, channel, remote, local);
                }
            });
        } else {
            accept(listener, channel, remote, local);
        }
    }

    private void accept(String listener, Channel channel, InetSocketAddress remote, InetSocketAddress local) {
        String ip = address(remote);
        long delayNanos = stopping ? -1 : door.admission().enter(ip);
        if (delayNanos < 0) {
            channel.close();
            return;
        }
        String here = address(local);
        String id = here + ":" + local.getPort() + "-" + ip + ":" + remote.getPort() + "-" + owner.index() + "-"
                + accepted++;
        ConnectionInfo info = new ConnectionInfo(id, listener, here, local.getPort(), ip, remote.getPort());
        SocketConnection[] made = new SocketConnection[1];
        SocketConnection connection = new SocketConnection(owner, info, newConnection, () -> closed(made[0], ip));
        made[0] = connection;
        connection.takeOver(channel, door.allocator());
        channel.config().setAutoRead(delayNanos == 0);
        if (delayNanos > 0) {
            owner.eventLoop().schedule(connection::resume, delayNanos, TimeUnit.NANOSECONDS);
        }
        connection.index = connections.size();
        connections.add(connection);
        if (!ticking) {
            ticking = true;
            timers.after(TICK_MILLIS, this::tick);
        }
    }

    /** Without the zone of a link-local address: that means something on this machine only. */
    private static String address(InetSocketAddress address) {
        String text = address.getAddress().getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }

    private void closed(SocketConnection connection, String ip) {
        door.admission().left(ip);
        SocketConnection last = connections.remove(connections.size() - 1);
        if (last != connection) {
            connections.set(connection.index, last);
            last.index = connection.index;
        }
    }

    private void tick() {
        // Backwards, since a tick may close a connection and the last one then takes its place.
        for (int index = connections.size() - 1; index >= 0; index--) {
            if (index < connections.size()) {
                connections.get(index).tick();
            }
        }
        ticking = !connections.isEmpty();
        if (ticking) {
            timers.after(TICK_MILLIS, this::tick);
        }
    }

    /** Accepts nothing new, answers what was read, closes; after {@link #DRAIN_SECONDS} whatever is left. */
    @Override
    public Future<?> stop() {
        stopping = true;
        List<Future<?>> closes = new ArrayList<>();
        for (NetServer server : servers) {
            closes.add(server.shutdown(DRAIN_SECONDS, TimeUnit.SECONDS));
        }
        closes.add(empty.future());
        drain();
        return Future.join(closes);
    }

    private void drain() {
        if (connections.isEmpty()) {
            empty.tryComplete();
            return;
        }
        for (SocketConnection connection : List.copyOf(connections)) {
            connection.drain();
        }
        timers.after(DRAIN_CHECK_MILLIS, this::drain);
    }
}
