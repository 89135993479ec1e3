package verticles;

import common.InvariantViolation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import protocol.ResponseParts;
import protocol.Transport;
import protocol.TransportListener;
import storage.FileRange;

/**
 * One end of a socket: feeds what arrives into a {@link TransportListener} and sends what that writes. It sits in the Netty pipeline before Vert.x's own
 * handler, which would copy every byte. Event loop only.
 */
class SocketEnd<L extends TransportListener> extends ChannelInboundHandlerAdapter implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(SocketEnd.class);
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(64 << 10, 256 << 10);

    /** How long a closing connection may take to accept what was already answered. */
    private static final long CLOSE_MILLIS = 5_000;

    private final OwnerLoop owner;
    private final Function<Transport, L> made;
    private final Runnable closed;
    private final Runnable flushTask = this::onFlush;

    private ChannelHandlerContext context;
    private L listener;
    private boolean flushQueued;
    private boolean unflushed;
    private boolean draining;
    private boolean closing;
    private boolean gone;

    /**
     * @param made makes the listener once the socket can be written
     * @param closed runs once when the connection is gone
     */
    SocketEnd(OwnerLoop owner, Function<Transport, L> made, Runnable closed) {
        this.owner = owner;
        this.made = made;
        this.closed = closed;
    }

    /** Takes the socket over from Vert.x, which goes on to open and close it. */
    void takeOver(Channel channel, ByteBufAllocator allocator) {
        channel.config().setAllocator(allocator);
        channel.config().setRecvByteBufAllocator(new ReadSizing(() -> listener.missingBytes()));
        channel.config().setWriteBufferWaterMark(WATER_MARK);
        channel.pipeline().addBefore("handler", "kafka", this);
    }

    OwnerLoop owner() {
        return owner;
    }

    L listener() {
        return listener;
    }

    /** Reads no more, whatever the listener asks for. */
    void readNoMore() {
        draining = true;
        context.channel().config().setAutoRead(false);
    }

    /** Vert.x announces its server's end this way and its handler would close at once; the server does it in order. */
    @Override
    public void userEventTriggered(ChannelHandlerContext triggered, Object event) {
        ReferenceCountUtil.release(event);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        listener = made.apply(this);
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
            listener.onBytes(new NettyChunk(read, read.readerIndex(), read.readableBytes()));
        } catch (RuntimeException | Error e) {
            failed(e);
        } finally {
            owner.leave(before);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext reading) {
        guarded(listener::onReadComplete);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (changed.channel().isWritable()) {
            guarded(listener::onWritable);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        if (!gone) {
            guarded(listener::onClosed);
            gone = true;
            closed.run();
        }
        inactive.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            LOG.warn("no direct memory left for connection {}; closing it ({})", listener.id(), cause.getMessage());
        }
        // Resets and broken pipes: the client went away.
        LOG.debug("connection {} failed: {}", listener.id(), cause.toString());
        caught.close();
    }

    private void onFlush() {
        flushQueued = false;
        guarded(listener::onFlush);
    }

    void guarded(Runnable event) {
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
        LOG.error("unexpected error on connection {}; closing it. Please report this.", listener.id(), e);
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
        LOG.debug("closing connection {}: {}", listener == null ? "being made" : listener.id(), reason);
        unflushed = false;
        Future<?> timeout = owner.eventLoop().schedule(() -> context.close(), CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        context.channel().config().setAutoRead(false);
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener((ChannelFutureListener) sent -> {
            timeout.cancel(false);
            sent.channel().close();
        });
    }
}
