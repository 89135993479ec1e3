package services;

import common.Callback;
import common.Failure;
import common.Mailboxes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import replication.ReplicaShard;
import replication.ReplicaShard.LogDirInfo;
import replication.ReplicaShard.PartitionSize;

/** What lies in this node's log directories, for every door. One instance per server instance, confined to its owner. */
public final class LogDirService {
    private final Shards shards;
    private final long timeoutMillis;

    /** @param timeoutMillis how long the shards may take, > 0 */
    public LogDirService(Mailboxes mailboxes, int shardCount, long timeoutMillis) {
        this.shards = new Shards(mailboxes, shardCount);
        this.timeoutMillis = timeoutMillis;
    }

    /** Each log directory once, with those partitions of all shards that {@code wanted} accepts. Fails if one of the shards does not answer. */
    public void describe(Predicate<PartitionSize> wanted, Callback<List<LogDirInfo>> done) {
        Gathering gathering = new Gathering(shards.count(), wanted, done);
        for (int shard = 0; shard < shards.count(); shard++) {
            shards.call(shard, ReplicaShard::describeLogDirs, timeoutMillis, gathering);
        }
    }

    private static final class Gathering implements Callback<List<LogDirInfo>> {
        private final Map<String, LogDirInfo> byPath = new LinkedHashMap<>();
        private final Predicate<PartitionSize> wanted;
        private final Callback<List<LogDirInfo>> done;
        private Failure failure;
        private int left;

        Gathering(int left, Predicate<PartitionSize> wanted, Callback<List<LogDirInfo>> done) {
            this.left = left;
            this.wanted = wanted;
            this.done = done;
        }

        @Override
        public void done(List<LogDirInfo> ofShard, Failure shardFailure) {
            if (shardFailure != null) {
                failure = shardFailure;
            } else {
                ofShard.forEach(this::add);
            }
            if (--left > 0) {
                return;
            }
            if (failure != null) {
                done.fail(failure);
            } else {
                done.succeed(new ArrayList<>(byPath.values()));
            }
        }

        private void add(LogDirInfo info) {
            LogDirInfo known = byPath.get(info.path());
            List<PartitionSize> partitions = new ArrayList<>(known == null ? List.of() : known.partitions());
            info.partitions().stream().filter(wanted).forEach(partitions::add);
            Failure first = known == null || known.failure() == null ? info.failure() : known.failure();
            byPath.put(
                    info.path(), new LogDirInfo(info.path(), first, info.totalBytes(), info.usableBytes(), partitions));
        }
    }
}
