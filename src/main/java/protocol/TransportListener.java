package protocol;

/**
 * One end of a connection, without its socket: what the host of the socket tells it. All calls on the thread of its server instance; none comes after
 * {@link #onClosed}.
 */
public interface TransportListener {

    /** For log lines. */
    String id();

    /** Bytes arrived: chunk.bytes() from position to limit. Takes over one reference. May be called while paused (bytes that were under way). */
    void onBytes(Chunk chunk);

    /** No more bytes for now. */
    void onReadComplete();

    /** The answer to {@link Transport#flushSoon()}. */
    void onFlush();

    /** {@link Transport#writable()} is true again. */
    void onWritable();

    /** The connection is gone, for whatever reason. Nothing is called on the transport after this. */
    void onClosed();

    /** Bytes that are still missing of the message being read, 0 between messages: a hint for the size of the next read. */
    int missingBytes();
}
