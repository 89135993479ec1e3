package group;

import coordinator.Result;
import coordinator.ShardTimers;
import java.util.function.Supplier;
import records.schemas.GroupRecord;

/** The timers of members of KIP-848 groups: any of them removes its member when it ends. */
final class ConsumerTimers {
    private final ShardTimers<GroupRecord> timers;
    private final ConsumerGroupSettings settings;

    ConsumerTimers(ShardTimers<GroupRecord> timers, ConsumerGroupSettings settings) {
        this.timers = timers;
        this.settings = settings;
    }

    enum Kind {
        /** No heartbeat. */
        SESSION,
        /** Partitions were not given up. */
        REVOCATION,
        /** A classic member did not join again when it had to. */
        JOIN,
        /** A classic member did not fetch its assignment. */
        SYNC
    }

    private record Key(Kind kind, String group, String member) {}

    void session(String group, String member, Supplier<Result<GroupRecord, Void>> task) {
        set(Kind.SESSION, group, member, settings.sessionMillis(group), task);
    }

    void set(Kind kind, String group, String member, int millis, Supplier<Result<GroupRecord, Void>> task) {
        timers.set(new Key(kind, group, member), Math.max(0, millis), task);
    }

    boolean isSet(Kind kind, String group, String member) {
        return timers.isSet(new Key(kind, group, member));
    }

    void cancel(Kind kind, String group, String member) {
        timers.cancel(new Key(kind, group, member));
    }

    void cancelAll(String group, String member) {
        for (Kind kind : Kind.values()) {
            cancel(kind, group, member);
        }
    }
}
