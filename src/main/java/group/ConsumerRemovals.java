package group;

import coordinator.Result;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import records.schemas.GroupRecord;

/** How members leave a KIP-848 group: by their own word, or because a timer ended. */
final class ConsumerRemovals {
    private final Groups groups;
    private final ConsumerTimers timers;
    private final OnlineMigration migration;

    ConsumerRemovals(Groups groups, ConsumerTimers timers, OnlineMigration migration) {
        this.groups = groups;
        this.timers = timers;
        this.migration = migration;
    }

    /** They are gone for good; their partitions are free, and the next heartbeat of anybody assigns anew. */
    <T> Result<GroupRecord, T> remove(ConsumerGroup group, Collection<ConsumerMember> leaving, T response) {
        if (leaving.isEmpty()) {
            return Result.answer(response);
        }
        List<GroupRecord> records = new ArrayList<>();
        if (migration.downgrades(group, leaving) && migration.downgrade(group, leaving, records)) {
            return withTimers(group, group.members().values(), Result.of(records, response));
        }
        Subscriptions left = group.subscriptions().copy();
        Map<String, Boolean> patterns = new LinkedHashMap<>();
        for (ConsumerMember member : leaving) {
            left.remove(member);
            if (!member.pattern().isEmpty()) {
                patterns.put(member.pattern(), true);
            }
        }
        // First: with it the log may end behind any of the removals, and what is left is assigned anew.
        int epoch = group.epoch() + 1;
        records.add(ConsumerGroupRecords.group(group.id(), epoch, group.hashOf(left.topics())));
        leaving.forEach(member -> ConsumerGroupRecords.removal(group.id(), member.id(), records));
        for (String pattern : patterns.keySet()) {
            if (left.membersWith(pattern) == 0) {
                records.add(ConsumerGroupRecords.pattern(group.id(), pattern, null));
            }
        }
        if (leaving.size() == group.members().size()) {
            // Nobody is left to assign to, and the next one to come need not wait.
            records.add(ConsumerGroupRecords.targetEpoch(group.id(), epoch, 0));
        }
        return withTimers(
                group, leaving, Result.<GroupRecord, T>of(records, response).atomicOnly(1));
    }

    /** Ends the timers of members that go; they go on when it comes to nothing. */
    private <T> Result<GroupRecord, T> withTimers(
            ConsumerGroup group, Collection<ConsumerMember> going, Result<GroupRecord, T> result) {
        List<ConsumerMember> all = List.copyOf(going);
        all.forEach(member -> timers.cancelAll(group.id(), member.id()));
        return result.settled((done, failure) -> {
            if (failure != null) {
                all.forEach(member -> startTimers(group.id(), member));
            }
        });
    }

    /** Those of a member whose group was loaded, each with its full time (rule G9), or that has not left after all. */
    void startTimers(String group, ConsumerMember member) {
        startSession(group, member);
        if (member.state() == MemberState.UNREVOKED_PARTITIONS) {
            startRevocation(group, member);
        }
    }

    /** A static member that will be back within its session: it keeps its place, nothing moves. */
    <T> Result<GroupRecord, T> leaveForNow(ConsumerGroup group, ConsumerMember member, T response) {
        return Result.of(List.of(ConsumerGroupRecords.current(group.id(), member.onLeave())), response);
    }

    void startSession(String group, ConsumerMember member) {
        if (member.classic()) {
            start(
                    ConsumerTimers.Kind.SESSION,
                    group,
                    member.id(),
                    member.metadata().classic().sessionTimeoutMs());
        } else {
            timers.session(group, member.id(), () -> removeIfThere(group, member.id()));
        }
    }

    /** For a member that speaks the classic protocol, which has a session timeout of its own. */
    void start(ConsumerTimers.Kind kind, String group, String member, int millis) {
        timers.set(kind, group, member, millis, () -> removeIfThere(group, member));
    }

    /** How long it may take to give up partitions; counts anew when it is asked for others. */
    void startRevocation(String group, ConsumerMember member) {
        Supplier<Result<GroupRecord, Void>> task = () -> {
            ConsumerMember now = groups.get(group) instanceof ConsumerGroup found ? found.member(member.id()) : null;
            return now != null && now.epoch() == member.epoch() ? removeIfThere(group, member.id()) : Result.nothing();
        };
        timers.set(
                ConsumerTimers.Kind.REVOCATION,
                group,
                member.id(),
                member.metadata().rebalanceTimeoutMs(),
                task);
    }

    void cancelRevocation(String group, String member) {
        timers.cancel(ConsumerTimers.Kind.REVOCATION, group, member);
    }

    private Result<GroupRecord, Void> removeIfThere(String groupId, String memberId) {
        if (groups.get(groupId) instanceof ConsumerGroup group && group.member(memberId) != null) {
            return remove(group, List.of(group.member(memberId)), null);
        }
        return Result.nothing();
    }
}
