package services;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;

/** How one Fetch request relates to a session (KIP-227). Made by {@link FetchSessions#begin}, used once, on the same owner. */
public final class FetchContext {
    private final FetchSessions sessions;
    private final Errors error;
    private final FetchSession session;
    private final Map<FetchEntry.Key, FetchEntry> toKeep;
    private final boolean byTopicId;
    private final boolean follower;
    private final int expectedEpoch;
    private final List<FetchEntry> entries;

    private FetchContext(
            FetchSessions sessions,
            Errors error,
            FetchSession session,
            Map<FetchEntry.Key, FetchEntry> toKeep,
            List<FetchEntry> entries,
            boolean byTopicId,
            boolean follower) {
        this.sessions = sessions;
        this.error = error;
        this.session = session;
        this.toKeep = toKeep;
        this.byTopicId = byTopicId;
        this.follower = follower;
        this.expectedEpoch = session == null ? 0 : session.epoch;
        this.entries = entries;
    }

    static FetchContext refused(Errors error) {
        return new FetchContext(null, error, null, null, List.of(), false, false);
    }

    static FetchContext sessionless(Map<FetchEntry.Key, FetchEntry> wanted) {
        return new FetchContext(null, Errors.NONE, null, null, new ArrayList<>(wanted.values()), false, false);
    }

    static FetchContext full(
            FetchSessions sessions, Map<FetchEntry.Key, FetchEntry> wanted, boolean byTopicId, boolean follower) {
        return new FetchContext(
                sessions, Errors.NONE, null, wanted, new ArrayList<>(wanted.values()), byTopicId, follower);
    }

    static FetchContext incremental(FetchSessions sessions, FetchSession session) {
        return new FetchContext(
                sessions, Errors.NONE, session, null, session.entries(), session.byTopicId, session.follower);
    }

    /** NONE, or the error of the whole request: then nothing is read. */
    public Errors error() {
        return error;
    }

    /** What to read, in this order. */
    public List<FetchEntry> entries() {
        return entries;
    }

    /** Null unless this is an incremental fetch of a follower that goes to one shard. */
    public FollowerTurn followerTurn() {
        return session != null && session.mayStayInShard() ? new FollowerTurn(session) : null;
    }

    /** @param end makes the request be answered at once; run when its session's next one comes from a follower */
    public void waits(Runnable end) {
        if (session != null) {
            session.waits(end);
        }
    }

    /** Called when the answers are there: NONE, or INVALID_FETCH_SESSION_EPOCH if a later request of the session came meanwhile, and not from a follower. */
    public Errors conclude() {
        return session != null && !session.follower && session.epoch != expectedEpoch
                ? Errors.INVALID_FETCH_SESSION_EPOCH
                : Errors.NONE;
    }

    /** Notes the answer for one partition; false if it need not be sent because the client knows all of it. */
    public boolean answer(FetchEntry entry, FetchAnswer answer) {
        if (session == null) {
            if (toKeep != null) {
                entry.told(answer);
            }
            return true;
        }
        if (answer.bytes() > 0 && session.inShard() == null) {
            session.moveToEnd(entry);
        }
        return entry.told(answer);
    }

    /** The session id of the response: after all answers were noted. 0 for no session. */
    public int sessionId() {
        if (session != null) {
            return session.id;
        }
        return toKeep == null ? 0 : sessions.create(toKeep, byTopicId, follower);
    }
}
