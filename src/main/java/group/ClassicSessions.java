package group;

import coordinator.Result;
import coordinator.ShardTimers;
import java.util.function.Supplier;
import records.schemas.GroupRecord;

/** The session timers of a shard's classic members; a heartbeat only moves its member's. Confined to the shard. */
final class ClassicSessions {
    private record SessionTimer(String group, String member) {}

    private final ShardTimers<GroupRecord> timers;

    ClassicSessions(ShardTimers<GroupRecord> timers) {
        this.timers = timers;
    }

    /** A full session from now on. */
    void restart(ClassicMember member) {
        start(member, member.sessionTimeoutMillis());
    }

    void start(ClassicMember member, int timeoutMillis) {
        timers.set(member.timerKey(), Math.max(0, timeoutMillis), member.expiry());
    }

    /** How long a handed out member id is kept. */
    void startPending(String group, String memberId, int timeoutMillis, Supplier<Result<GroupRecord, Void>> expiry) {
        timers.set(key(group, memberId), Math.max(0, timeoutMillis), expiry);
    }

    /** For a member or a pending one. */
    void end(String group, String memberId) {
        timers.cancel(key(group, memberId));
    }

    /** Equal for a pending member and the member it becomes. */
    static Object key(String group, String memberId) {
        return new SessionTimer(group, memberId);
    }
}
