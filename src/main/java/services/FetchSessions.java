package services;

import common.Clock;
import common.Metrics;
import common.RandomSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.protocol.Errors;

/**
 * The incremental fetch sessions of one server instance (KIP-227), bounded in number and in partitions. When full, a new session replaces one that was
 * not used for the eviction time, else the smallest that is older than that and smaller than the newcomer; else its client goes on without a session.
 */
public final class FetchSessions {
    /** Kafka's min.incremental.fetch.session.eviction.ms. */
    private static final long EVICTION_MILLIS = 120_000;
    /** Remembered partitions per slot, on the average: a hundred bytes each. */
    private static final int PARTITIONS_PER_SLOT = 1000;
    /** From this Fetch version on topics are named by id. */
    private static final short TOPIC_IDS = 13;

    private static final int INITIAL_EPOCH = 0;
    private static final int FINAL_EPOCH = -1;

    private final Clock clock;
    private final RandomSource random;
    private final int maxSlots;
    private final Map<Integer, FetchSession> sessions = new LinkedHashMap<>();
    private final Metrics.Counter evictions;
    private long partitions;

    /** @param maxSlots max.incremental.fetch.session.cache.slots, or this instance's part of it; 0: no sessions */
    public FetchSessions(Clock clock, RandomSource random, Metrics metrics, int maxSlots) {
        this.clock = clock;
        this.random = random;
        this.maxSlots = maxSlots;
        this.evictions = metrics.counter(
                "kafka_server_fetchsessioncache_incrementalfetchsessionevictions_total",
                "Fetch sessions that made room for others");
    }

    /** Sessions kept now. */
    public int size() {
        return sessions.size();
    }

    /** Partitions in all sessions. */
    public long partitions() {
        return partitions;
    }

    /** Finds out what a request wants to read, and advances its session. */
    public FetchContext begin(FetchRequestData request, short version, boolean follower) {
        boolean byTopicId = version >= TOPIC_IDS;
        int epoch = request.sessionEpoch();
        if (epoch == INITIAL_EPOCH || epoch == FINAL_EPOCH) {
            remove(sessions.get(request.sessionId()));
            Map<FetchEntry.Key, FetchEntry> wanted = FetchSession.collect(request, byTopicId);
            return epoch == FINAL_EPOCH
                    ? FetchContext.sessionless(wanted)
                    : FetchContext.full(this, wanted, byTopicId, follower);
        }
        FetchSession session = sessions.get(request.sessionId());
        if (session == null) {
            return FetchContext.refused(Errors.FETCH_SESSION_ID_NOT_FOUND);
        }
        if (session.epoch != epoch) {
            return FetchContext.refused(Errors.INVALID_FETCH_SESSION_EPOCH);
        }
        if (session.byTopicId != byTopicId) {
            return FetchContext.refused(Errors.FETCH_SESSION_TOPIC_ID_ERROR);
        }
        return advance(session, request);
    }

    private FetchContext advance(FetchSession session, FetchRequestData request) {
        int before = session.size();
        session.update(request);
        partitions += session.size() - before;
        if (session.size() == 0) {
            remove(session);
            return FetchContext.sessionless(Map.of());
        }
        if (partitions > maxPartitions()) {
            remove(session);
            return FetchContext.refused(Errors.FETCH_SESSION_ID_NOT_FOUND);
        }
        session.epoch = session.epoch == Integer.MAX_VALUE ? 1 : session.epoch + 1;
        touch(session);
        session.nextCame();
        return FetchContext.incremental(this, session);
    }

    /** Keeps a new session and returns its id, or 0 if there is no room. */
    int create(Map<FetchEntry.Key, FetchEntry> entries, boolean byTopicId, boolean follower) {
        if (partitions + entries.size() > maxPartitions()) {
            return 0;
        }
        if (sessions.size() >= maxSlots && !evict(entries.size(), follower)) {
            return 0;
        }
        int id;
        do {
            id = 1 + random.below(Integer.MAX_VALUE);
        } while (sessions.containsKey(id));
        FetchSession session = new FetchSession(id, byTopicId, follower, now(), entries);
        session.epoch = 1;
        if (follower) {
            // Of its former processes, mostly: what they followed need not be watched any more.
            for (FetchSession each : sessions.values()) {
                if (each.follower && now() - each.usedMillis > EVICTION_MILLIS) {
                    each.leaveShard();
                }
            }
        }
        sessions.put(id, session);
        partitions += entries.size();
        touch(session);
        return id;
    }

    private long maxPartitions() {
        return (long) maxSlots * PARTITIONS_PER_SLOT;
    }

    private long now() {
        return clock.monotonicNanos() / 1_000_000;
    }

    /** Keeps the map in order of use, so that the first session is the one unused for longest. */
    private void touch(FetchSession session) {
        session.usedMillis = now();
        session.evictable = session.usedMillis - session.createdMillis > EVICTION_MILLIS;
        sessions.remove(session.id);
        sessions.put(session.id, session);
    }

    private void remove(FetchSession session) {
        if (session != null && sessions.remove(session.id, session)) {
            partitions -= session.size();
            session.leaveShard();
        }
    }

    private boolean evict(int newSize, boolean follower) {
        if (sessions.isEmpty()) {
            return false;
        }
        FetchSession oldest = sessions.values().iterator().next();
        FetchSession victim = null;
        if (now() - oldest.usedMillis > EVICTION_MILLIS) {
            victim = oldest;
        } else {
            for (FetchSession each : sessions.values()) {
                boolean candidate = each.evictable || (follower && !each.follower);
                if (candidate && (victim == null || order(each, victim) < 0)) {
                    victim = each;
                }
            }
            if (victim != null && !yields(victim, newSize, follower)) {
                victim = null;
            }
        }
        if (victim == null) {
            return false;
        }
        remove(victim);
        evictions.add(1);
        return true;
    }

    private static int order(FetchSession left, FetchSession right) {
        int byKind = Boolean.compare(left.follower, right.follower);
        int bySize = byKind != 0 ? byKind : Integer.compare(left.size(), right.size());
        return bySize != 0 ? bySize : Integer.compare(left.id, right.id);
    }

    private static boolean yields(FetchSession victim, int newSize, boolean follower) {
        int byKind = Boolean.compare(follower, victim.follower);
        return byKind != 0 ? byKind > 0 : newSize > victim.size();
    }
}
