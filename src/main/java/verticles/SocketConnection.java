package verticles;

import common.InvariantViolation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import protocol.Connection;
import protocol.ConnectionInfo;
import protocol.ResponseParts;
import protocol.Transport;
import storage.FileRange;

/**
 * A client's socket: feeds what arrives into a {@link Connection} and sends what that answers. It sits in the Netty pipeline before Vert.x's own handler,
 * which would copy every byte. Event loop only.
 */
final class SocketConnection extends ChannelInboundHandlerAdapter implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(SocketConnection.class);

    /** How long a closing connection may take to accept what was already answered. */
    private static final long CLOSE_MILLIS = 5_000;

    private final OwnerLoop owner;
    private final Connection connection;
    private final Runnable closed;
    private final Runnable flushTask = this::onFlush;

    private ChannelHandlerContext context;
    private boolean flushQueued;
    private boolean unflushed;
    private boolean draining;
    private boolean closing;
    private boolean gone;

    /** Where this connection stands in its server's list. */
    int index;

    /** @param closed runs once when the connection is gone */
    SocketConnection(
            OwnerLoop owner,
            ConnectionInfo info,
            BiFunction<ConnectionInfo, Transport, Connection> connections,
            Runnable closed) {
        this.owner = owner;
        this.closed = closed;
        this.connection = connections.apply(info, this);
    }

    OwnerLoop owner() {
        return owner;
    }

    int missingBytes() {
        return connection.missingBytes();
    }

    /** About once a second. */
    void tick() {
        guarded(connection::onTick);
    }

    /** Reads no more; closes once everything read so far is answered. Called again and again while the server stops. */
    void drain() {
        draining = true;
        context.channel().config().setAutoRead(false);
        if (connection.quiet()) {
            close("the broker is stopping");
        }
    }

    /** Vert.x announces its server's end this way and its handler would close at once; {@link #drain} does it in order. */
    @Override
    public void userEventTriggered(ChannelHandlerContext triggered, Object event) {
        ReferenceCountUtil.release(event);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        ByteBuf read = (ByteBuf) message;
        if (gone) {
            read.release();
            return;
        }
        ContextInternal before = owner.enter();
        try {
            connection.onBytes(new NettyChunk(read, read.readerIndex(), read.readableBytes()));
        } catch (RuntimeException | Error e) {
            failed(e);
        } finally {
            owner.leave(before);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext reading) {
        guarded(connection::onReadComplete);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (changed.channel().isWritable()) {
            guarded(connection::onWritable);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        if (!gone) {
            guarded(connection::onClosed);
            gone = true;
            closed.run();
        }
        inactive.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            LOG.warn(
                    "no direct memory left for connection {}; closing it ({})",
                    connection.info().id(),
                    cause.getMessage());
        }
        // Resets and broken pipes: the client went away.
        LOG.debug("connection {} failed: {}", connection.info().id(), cause.toString());
        caught.close();
    }

    private void onFlush() {
        flushQueued = false;
        guarded(connection::onFlush);
    }

    private void guarded(Runnable event) {
        if (gone) {
            return;
        }
        ContextInternal before = owner.enter();
        try {
            event.run();
        } catch (RuntimeException | Error e) {
            failed(e);
        } finally {
            owner.leave(before);
        }
    }

    /**
     * A broken invariant stops the process; anything else is this connection's end only: no client may stop a broker. Netty's own bound on direct memory is
     * among the latter (a heap that is full ends the JVM before it gets here).
     */
    private void failed(Throwable e) {
        if (e instanceof OutOfMemoryError) {
            exceptionCaught(context, e);
            return;
        }
        if (e instanceof InvariantViolation || e instanceof Error) {
            owner.fatalErrors().report(e);
        }
        LOG.error(
                "unexpected error on connection {}; closing it. Please report this.",
                connection.info().id(),
                e);
        context.close();
    }

    @Override
    public void write(ResponseParts parts) {
        if (gone || closing) {
            parts.release();
            return;
        }
        for (int part = 0; part < parts.count(); part++) {
            FileRange range = parts.range(part);
            Object message = range == null
                    ? new SentBytes(context.alloc(), parts.chunk(part), parts.bytes(part))
                    : new SentRange(range);
            context.write(message, context.voidPromise());
        }
        unflushed = true;
    }

    @Override
    public void flush() {
        if (unflushed) {
            unflushed = false;
            context.flush();
        }
    }

    @Override
    public void flushSoon() {
        if (!flushQueued && !gone) {
            flushQueued = true;
            owner.eventLoop().execute(flushTask);
        }
    }

    @Override
    public boolean writable() {
        return context.channel().isWritable();
    }

    @Override
    public void pause() {
        if (!gone) {
            context.channel().config().setAutoRead(false);
        }
    }

    @Override
    public void resume() {
        if (!gone && !closing && !draining) {
            context.channel().config().setAutoRead(true);
        }
    }

    @Override
    public void close(String reason) {
        if (closing || gone) {
            return;
        }
        closing = true;
        LOG.debug("closing connection {}: {}", connection.info().id(), reason);
        unflushed = false;
        Future<?> timeout = owner.eventLoop().schedule(() -> context.close(), CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        context.channel().config().setAutoRead(false);
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener((ChannelFutureListener) sent -> {
            timeout.cancel(false);
            sent.channel().close();
        });
    }
}
