package group;

import common.Callback;
import coordinator.Result;
import java.util.ArrayList;
import java.util.List;
import records.schemas.GroupRecord;

/** What one request or timer of the shard brings about while it runs: records, and what happens once they and all earlier ones are committed (rule G2). */
final class Turn {
    private final ClassicGroup group;
    private final List<GroupRecord> records = new ArrayList<>();
    private final List<Callback<Void>> afterwards = new ArrayList<>();

    /** @param group whose turn it is; null: there is none, and nothing will be recorded */
    Turn(ClassicGroup group) {
        this.group = group;
    }

    void record(GroupRecord record) {
        records.add(record);
    }

    /** With a failure: the records are not in the log, or the shard is being unloaded. */
    void afterCommit(Callback<Void> action) {
        afterwards.add(action);
    }

    /** Answers a parked request after the commit; {@code parked} may be null. */
    <T> void answer(Callback<T> parked, T response) {
        if (parked != null) {
            afterCommit((none, failure) -> parked.done(failure == null ? response : null, failure));
        }
    }

    <T> Result<GroupRecord, T> result(T response) {
        Result<GroupRecord, T> result = Result.of(List.copyOf(records), response);
        if (afterwards.isEmpty() && records.isEmpty()) {
            return result;
        }
        return result.settled((none, failure) -> {
            afterwards.forEach(action -> action.done(null, failure));
            if (failure != null && !records.isEmpty()) {
                group.refused(failure);
            }
        });
    }

    Result<GroupRecord, Void> result() {
        return result(null);
    }
}
