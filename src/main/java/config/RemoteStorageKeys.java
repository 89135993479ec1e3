package config;

import static config.KeyTable.atLeast;
import static config.KeyTable.between;

import java.util.List;

/** Keys of tiered storage, which is not built: only the defaults are allowed. */
final class RemoteStorageKeys {

    private RemoteStorageKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.refused("tiered (remote) storage is not built; allowed: the default");
        keys.bool("follower.fetch.last.tiered.offset.enable", false).clusterWide();
        keys.int64("log.local.retention.bytes", -2L, atLeast(-2)).clusterWide();
        keys.int64("log.local.retention.ms", -2L, atLeast(-2)).clusterWide();
        keys.int64("log.remote.copy.lag.bytes", -1L, atLeast(-1)).clusterWide();
        keys.int64("log.remote.copy.lag.ms", 0L, atLeast(-1)).clusterWide();
        keys.int32("remote.fetch.max.wait.ms", 500, atLeast(1)).clusterWide();
        keys.int64("remote.list.offsets.request.timeout.ms", 30000L, atLeast(1)).clusterWide();
        keys.int64("remote.log.index.file.cache.total.size.bytes", 1073741824L, atLeast(1))
                .clusterWide();
        keys.int64("remote.log.index.file.cache.ttl.ms", 900000L, atLeast(-1));
        keys.int32("remote.log.manager.copier.thread.pool.size", 10, atLeast(1)).clusterWide();
        keys.int64("remote.log.manager.copy.max.bytes.per.second", Long.MAX_VALUE, atLeast(1))
                .clusterWide();
        keys.int32("remote.log.manager.copy.quota.window.num", 11, atLeast(1));
        keys.int32("remote.log.manager.copy.quota.window.size.seconds", 1, atLeast(1));
        keys.int32("remote.log.manager.expiration.thread.pool.size", 10, atLeast(1))
                .clusterWide();
        keys.int64("remote.log.manager.fetch.max.bytes.per.second", Long.MAX_VALUE, atLeast(1))
                .clusterWide();
        keys.int32("remote.log.manager.fetch.quota.window.num", 11, atLeast(1));
        keys.int32("remote.log.manager.fetch.quota.window.size.seconds", 1, atLeast(1));
        keys.int32("remote.log.manager.follower.thread.pool.size", 2, atLeast(1))
                .clusterWide();
        keys.int64("remote.log.manager.task.interval.ms", 30000L, atLeast(1));
        keys.int64("remote.log.manager.task.retry.backoff.max.ms", 30000L, atLeast(1));
        keys.int64("remote.log.manager.task.retry.backoff.ms", 500L, atLeast(1));
        keys.float64("remote.log.manager.task.retry.jitter", 0.2, between(0, 0.5));
        keys.int32("remote.log.manager.thread.pool.size", 2, atLeast(1));
        keys.int32("remote.log.metadata.custom.metadata.max.bytes", 128, atLeast(0));
        keys.string(
                "remote.log.metadata.manager.class.name",
                "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager",
                null);
        keys.string("remote.log.metadata.manager.class.path", null, null);
        keys.string("remote.log.metadata.manager.impl.prefix", "rlmm.config.", null);
        keys.string("remote.log.metadata.manager.listener.name", null, null);
        keys.int32("remote.log.reader.max.pending.tasks", 100, atLeast(1));
        keys.int32("remote.log.reader.threads", 10, atLeast(1)).clusterWide();
        keys.string("remote.log.storage.manager.class.name", null, null);
        keys.string("remote.log.storage.manager.class.path", null, null);
        keys.string("remote.log.storage.manager.impl.prefix", "rsm.config.", null);
        keys.bool("remote.log.storage.system.enable", false);
        return keys.list();
    }
}
