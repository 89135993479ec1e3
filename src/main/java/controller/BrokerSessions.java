package controller;

import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;

/**
 * When the active controller heard of each broker: soft state, in no log. A new active controller gives each broker a whole session (rule C2). All times are
 * monotonic nanoseconds. Confined to the controller's owner.
 */
final class BrokerSessions {

    /** Not told yet. */
    private static final long UNKNOWN = -1;

    private final long timeoutNanos;
    private final Map<Integer, Session> sessions = new TreeMap<>();
    private long latestNanos = Long.MIN_VALUE;

    /** One process of a broker. */
    private static final class Session {
        private final long epoch;
        private long heardNanos;
        private long appliedOffset = UNKNOWN;
        private long shutdownOffset = UNKNOWN;

        Session(long epoch) {
            this.epoch = epoch;
        }
    }

    BrokerSessions(long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
    }

    /** This controller has become the active one. */
    void begin(MetadataImage image, long nowNanos) {
        sessions.clear();
        latestNanos = nowNanos;
        image.brokers().forEach(broker -> {
            if (!broker.fenced()) {
                heard(broker.id(), broker.epoch(), UNKNOWN, nowNanos);
            }
        });
    }

    /** @param appliedOffset offset of the last metadata record that the broker has applied; -1: not told */
    void heard(int brokerId, long epoch, long appliedOffset, long nowNanos) {
        Session session = sessions.get(brokerId);
        if (session == null || session.epoch != epoch) {
            session = new Session(epoch);
            sessions.put(brokerId, session);
        }
        now(nowNanos);
        session.heardNanos = nowNanos;
        session.appliedOffset = Math.max(session.appliedOffset, appliedOffset);
    }

    /** What is judged from here on is judged at this time. */
    void now(long nowNanos) {
        latestNanos = latestNanos == Long.MIN_VALUE || nowNanos - latestNanos > 0 ? nowNanos : latestNanos;
    }

    /** Its process is known to be gone, or it has been told to end. Unless that is committed, it is {@link #stale} from here on. */
    void end(int brokerId) {
        sessions.remove(brokerId);
    }

    boolean isLive(BrokerImage broker) {
        Session session = sessions.get(broker.id());
        return session != null && session.epoch == broker.epoch() && latestNanos - session.heardNanos < timeoutNanos;
    }

    /** Heard of within the last half of a session. Nobody is where no times are known. */
    boolean isFresh(int brokerId) {
        Session session = sessions.get(brokerId);
        return session != null && latestNanos - session.heardNanos < timeoutNanos / 2;
    }

    /**
     * The broker whose session ended first, of those that are not fenced; null when there is none. One that has no session comes before all: it was ended by a
     * decision whose records were lost before they were committed, and that is decided again.
     */
    BrokerImage stale(MetadataImage image) {
        BrokerImage found = null;
        long longest = 0;
        for (BrokerImage broker : image.brokers()) {
            long silence = broker.fenced() ? 0 : silence(broker);
            if (silence >= timeoutNanos && (found == null || silence > longest)) {
                found = broker;
                longest = silence;
            }
        }
        return found;
    }

    private long silence(BrokerImage broker) {
        Session session = sessions.get(broker.id());
        return session == null || session.epoch != broker.epoch() ? Long.MAX_VALUE : latestNanos - session.heardNanos;
    }

    /** The broker may end when all others have applied the record at this offset, which moves its last leadership away. */
    void shutdownAfter(int brokerId, long offset) {
        Session session = sessions.get(brokerId);
        if (session != null) {
            session.shutdownOffset = offset;
        }
    }

    /** Whether every other broker that takes part knows that this one leads nothing any more. A new active controller supposes that it was the last that happened. */
    boolean othersKnowOfShutdown(MetadataImage image, int brokerId) {
        Session leaving = sessions.get(brokerId);
        if (leaving == null) {
            return false;
        }
        if (leaving.shutdownOffset == UNKNOWN) {
            leaving.shutdownOffset = image.version() - 1;
        }
        for (BrokerImage broker : image.brokers()) {
            Session session = sessions.get(broker.id());
            boolean counts = broker.id() != brokerId && !broker.fenced() && !broker.inControlledShutdown();
            if (counts && (session == null || session.appliedOffset < leaving.shutdownOffset)) {
                return false;
            }
        }
        return true;
    }
}
