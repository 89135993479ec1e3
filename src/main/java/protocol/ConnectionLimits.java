package protocol;

/**
 * Bounds per connection.
 *
 * @param maxRequestBytes socket.request.max.bytes; a larger frame closes the connection
 * @param maxInFlight requests that may be unanswered at once, > 0; past it the socket is not read
 * @param idleMillis connections.max.idle.ms: closed after so long without a byte read and no request unanswered; <= 0: never
 * @param loginMillis connection.login.timeout.ms: closed when no complete request has come by then, > 0
 * @param stalledFrameMillis how long a request that was begun may make no progress while others wait for its memory
 */
public record ConnectionLimits(
        int maxRequestBytes, int maxInFlight, long idleMillis, long loginMillis, long stalledFrameMillis) {
    public static final int DEFAULT_MAX_IN_FLIGHT = 128;
    public static final long DEFAULT_STALLED_FRAME_MILLIS = 10_000;
}
