package protocol;

/**
 * One client connection, without its socket: bytes in, answers out in the order of the requests (rule V4). The host calls it on the server instance's thread.
 */
public final class Connection {
    private final ConnectionInfo info;
    private final Transport transport;
    private final Instance instance;

    public Connection(ConnectionInfo info, Transport transport, Instance instance) {
        this.info = info;
        this.transport = transport;
        this.instance = instance;
    }

    public ConnectionInfo info() {
        return info;
    }

    /** Bytes arrived: chunk.bytes() from position to limit. Takes over one reference. May be called while paused (bytes that were under way). */
    public void onBytes(Chunk chunk) {
        chunk.release();
        transport.close("not implemented");
    }

    /** No more bytes for now: what was answered meanwhile is sent with one flush. */
    public void onReadComplete() {
        transport.flush();
    }

    /** The answer to {@link Transport#flushSoon()}. */
    public void onFlush() {
        transport.flush();
    }

    /** {@link Transport#writable()} is true again. */
    public void onWritable() {
        transport.resume();
    }

    /** The connection is gone, for whatever reason. Nothing is called on the transport after this. */
    public void onClosed() {}

    /** About once a second: closes what idles or stalls. */
    public void onTick() {
        instance.clock().monotonicNanos();
    }

    /** Bytes that are still missing of the request being read, 0 between requests: a hint for the size of the next read. */
    public int missingBytes() {
        return 0;
    }
}
