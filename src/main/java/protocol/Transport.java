package protocol;

/** What the host of a connection (a socket, or the simulator's wire) does for it. All on the server instance's thread. */
public interface Transport {

    /** Queues bytes behind those written before; takes over the parts and releases each one after it was sent, or when the connection closes. */
    void write(ResponseParts parts);

    /** Sends what was written. */
    void flush();

    /** Calls {@link Connection#onFlush()} once, on this thread, behind the tasks that are ready now, so that answers that come together share a flush. */
    void flushSoon();

    /** False while so much is unsent that no more should be written; {@link Connection#onWritable()} tells when that ends. */
    boolean writable();

    /** Stops reading. Bytes read already may still be delivered. */
    void pause();

    /** Reads again. Idempotent, as pause is. */
    void resume();

    /** Closes after what was written has been sent (or at once if the peer takes nothing); {@link Connection#onClosed()} follows. Idempotent. */
    void close(String reason);
}
