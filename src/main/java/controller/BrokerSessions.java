package controller;

import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import org.apache.kafka.common.Uuid;

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
    private int ownBroker = -1;
    private Uuid ownIncarnation;

    /** One process of a broker. */
    private static final class Session {
        private final long epoch;
        private long heardNanos;
        private long appliedOffset = UNKNOWN;
        /** Something may be led by others now that was led by this broker, and not all may know. */
        private boolean hasHandedOver;

        private long handedOverOffset = UNKNOWN;

        Session(long epoch, boolean hasHandedOver) {
            this.epoch = epoch;
            this.hasHandedOver = hasHandedOver;
        }
    }

    BrokerSessions(long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
    }

    /**
     * This controller's process is that broker's, too: it is alive whatever was heard of it, and an earlier process of that broker is not, as this one has its log directories
     * (rule S12).
     */
    void ownProcess(int brokerId, Uuid incarnation) {
        ownBroker = brokerId;
        ownIncarnation = incarnation;
    }

    private boolean isOwnProcess(BrokerImage broker) {
        return broker.id() == ownBroker && broker.incarnationId().equals(ownIncarnation);
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

    /** A process has registered: it leads nothing. */
    void registered(int brokerId, long epoch, long nowNanos) {
        now(nowNanos);
        Session session = new Session(epoch, false);
        session.heardNanos = nowNanos;
        sessions.put(brokerId, session);
    }

    /** @param appliedOffset offset of the last metadata record that the broker has applied; -1: not told */
    void heard(int brokerId, long epoch, long appliedOffset, long nowNanos) {
        now(nowNanos);
        Session session = sessions.get(brokerId);
        if (session == null || session.epoch != epoch) {
            session = new Session(epoch, true);
            sessions.put(brokerId, session);
        }
        session.heardNanos = nowNanos;
        session.appliedOffset = Math.max(session.appliedOffset, appliedOffset);
    }

    /**
     * What is judged from here on is judged at this time. This is told several times in a session; when it was not for half of one, this process stood still, or waited for
     * its disk, and what the brokers sent meanwhile has yet to be read: that time is not held against them.
     */
    void now(long nowNanos) {
        if (latestNanos == Long.MIN_VALUE) {
            latestNanos = nowNanos;
        }
        long passed = nowNanos - latestNanos;
        if (passed > timeoutNanos / 2) {
            sessions.values().forEach(each -> each.heardNanos += passed);
        }
        latestNanos += Math.max(0, passed);
    }

    /** Its process is known to be gone, or it has been told to end. Unless that is committed, it is {@link #stale} from here on. */
    void end(int brokerId) {
        sessions.remove(brokerId);
    }

    boolean isLive(BrokerImage broker) {
        if (broker.id() == ownBroker) {
            return isOwnProcess(broker);
        }
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
            long silence = broker.fenced() || isOwnProcess(broker) ? 0 : silence(broker);
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

    /** What the broker led is led by others from here on. */
    void handsOver(int brokerId) {
        Session session = sessions.get(brokerId);
        if (session != null) {
            session.hasHandedOver = true;
            session.handedOverOffset = UNKNOWN;
        }
    }

    /** False when it has led nothing since it registered here. */
    boolean hasHandedOver(int brokerId) {
        Session session = sessions.get(brokerId);
        return session == null || session.hasHandedOver;
    }

    /**
     * Whether every other broker that takes part knows that this one leads nothing any more. Asked only when that is so: what is true when it is asked first is what the
     * others must know, however many controllers, or batches, it took to come to it.
     */
    boolean othersKnow(MetadataImage image, int brokerId) {
        Session leaving = sessions.get(brokerId);
        if (leaving == null) {
            return false;
        }
        if (leaving.handedOverOffset == UNKNOWN || leaving.handedOverOffset >= image.version()) {
            leaving.handedOverOffset = image.version() - 1;
        }
        for (BrokerImage broker : image.brokers()) {
            Session session = sessions.get(broker.id());
            boolean counts = broker.id() != brokerId && !broker.fenced() && !broker.inControlledShutdown();
            if (counts && (session == null || session.appliedOffset < leaving.handedOverOffset)) {
                return false;
            }
        }
        return true;
    }
}
