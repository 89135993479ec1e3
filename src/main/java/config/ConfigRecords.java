package config;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes each owner's typed record, and checks what concerns several keys of it. */
final class ConfigRecords {

    private static final String BY_RACK = "org.apache.kafka.common.replica.RackAwareReplicaSelector";
    private static final String BY_LEADER = "org.apache.kafka.common.replica.LeaderSelector";

    private ConfigRecords() {}

    static NetworkConfig network(ConfigValues.Part values, ConfigProblems problems) {
        return new NetworkConfig(
                values.int32("num.network.threads"),
                values.int32("socket.send.buffer.bytes"),
                values.int32("socket.receive.buffer.bytes"),
                values.int32("socket.listen.backlog.size"),
                values.int32("socket.request.max.bytes"),
                values.int64("queued.max.request.bytes"),
                values.int32("connection.max.inflight.requests"),
                values.int64("connections.max.idle.ms"),
                values.int32("max.connections"),
                values.int32("max.connections.per.ip"),
                perIp(values, problems),
                values.int32("max.connection.creation.rate"),
                values.int64("connection.login.timeout.ms"));
    }

    private static Map<String, Integer> perIp(ConfigValues.Part values, ConfigProblems problems) {
        String key = "max.connections.per.ip.overrides";
        Map<String, Integer> overrides = new TreeMap<>();
        for (String entry : values.string(key).split(",", -1)) {
            if (entry.isBlank()) {
                continue;
            }
            int colon = entry.lastIndexOf(':');
            try {
                int limit = Integer.parseInt(entry.substring(colon + 1).trim());
                if (colon < 1 || limit < 0) {
                    throw new NumberFormatException(entry);
                }
                overrides.put(entry.substring(0, colon).trim(), limit);
            } catch (NumberFormatException e) {
                problems.add(key, "entry '" + entry.trim() + "' is not address:limit with a limit of 0 or more");
            }
        }
        return Collections.unmodifiableMap(overrides);
    }

    static StorageConfig storage(ConfigValues.Part values, ConfigProblems problems) {
        boolean several = values.given(List.class, "log.dirs") != null;
        String key = several ? "log.dirs" : "log.dir";
        List<String> dirs = values.list(key);
        if (dirs.isEmpty()) {
            problems.add(key, "at least one directory is needed");
        }
        if (new TreeSet<>(dirs).size() != dirs.size()) {
            problems.add(key, "a directory is named twice");
        }
        String metadataDir = values.string("metadata.log.dir");
        if (metadataDir != null && !dirs.contains(metadataDir)) {
            problems.add("metadata.log.dir", "a directory of its own is not built yet; allowed: one of " + key);
        }
        return new StorageConfig(
                dirs,
                metadataDir != null || dirs.isEmpty() ? metadataDir : dirs.get(0),
                values.int64("log.retention.check.interval.ms"),
                values.int64("log.flush.scheduler.interval.ms"),
                values.int32("log.flush.offset.checkpoint.interval.ms"),
                values.int32("log.flush.start.offset.checkpoint.interval.ms"),
                values.int64("log.dir.reserve.bytes"),
                values.int32("log.max.open.files"),
                values.int64("log.dir.scrub.bytes.per.second"),
                values.int32("producer.id.expiration.ms"),
                values.int32("producer.id.expiration.check.interval.ms"),
                values.int64("log.initial.task.delay.ms"));
    }

    static CleanerConfig cleaner(ConfigValues.Part values) {
        return new CleanerConfig(
                values.bool("log.cleaner.enable"),
                values.int64("log.cleaner.backoff.ms"),
                values.int64("log.cleaner.dedupe.buffer.size"),
                values.float64("log.cleaner.io.buffer.load.factor"),
                values.int32("log.cleaner.io.buffer.size"),
                values.float64("log.cleaner.io.max.bytes.per.second"));
    }

    static TopicDefaults topics(ConfigValues.Part values, ConfigProblems problems) {
        int replicas = values.int32("default.replication.factor");
        if (replicas < 1 || replicas > Short.MAX_VALUE) {
            problems.add("default.replication.factor", "allowed: 1 to " + Short.MAX_VALUE);
        }
        return new TopicDefaults(
                values.int32("num.partitions"),
                (short) replicas,
                values.bool("auto.create.topics.enable"),
                values.bool("delete.topic.enable"));
    }

    static FetcherConfig fetcher(ConfigValues.Part values) {
        return new FetcherConfig(
                values.int32("replica.fetch.max.bytes"),
                values.int32("replica.fetch.response.max.bytes"),
                values.int32("replica.fetch.min.bytes"),
                Math.max(0, values.int32("replica.fetch.wait.max.ms")),
                values.int32("replica.fetch.backoff.ms"),
                Math.max(1, values.int32("replica.socket.timeout.ms")),
                values.int64("leader.replication.throttled.rate"),
                values.int64("follower.replication.throttled.rate"),
                values.int32("replication.quota.window.num"),
                values.int32("replication.quota.window.size.seconds"));
    }

    static RequestConfig requests(ConfigValues.Part values, ConfigProblems problems) {
        String selector = values.string("replica.selector.class");
        boolean byRack = BY_RACK.equals(selector);
        if (selector != null && !selector.isEmpty() && !byRack && !BY_LEADER.equals(selector)) {
            problems.add("replica.selector.class", "no plug-ins are loaded; allowed: " + BY_RACK + ", " + BY_LEADER);
        }
        return new RequestConfig(
                values.int32("fetch.max.bytes"),
                values.int32("max.incremental.fetch.session.cache.slots"),
                values.int32("max.request.partition.size.limit"),
                values.int32("request.timeout.ms"),
                byRack);
    }

    static ControllerConfig controller(ConfigValues.Part values) {
        Integer testSegmentBytes = values.given(Integer.class, "internal.metadata.log.segment.bytes");
        return new ControllerConfig(
                values.int64("metadata.log.max.record.bytes.between.snapshots"),
                values.int64("metadata.log.max.snapshot.interval.ms"),
                testSegmentBytes != null ? testSegmentBytes : values.int32("metadata.log.segment.bytes"),
                values.int64("metadata.log.segment.ms"),
                values.int64("metadata.max.retention.bytes"),
                values.int64("metadata.max.retention.ms"),
                values.int32("internal.metadata.max.batch.size.in.bytes"),
                Math.max(1, values.int32("broker.session.timeout.ms")),
                new ControllerConfig.Balance(
                        values.bool("auto.leader.rebalance.enable"),
                        values.int64("leader.imbalance.check.interval.seconds")));
    }

    static ReplicationConfig replication(ConfigValues.Part values) {
        return new ReplicationConfig(values.int64("replica.lag.time.max.ms"));
    }

    static MembershipConfig membership(ConfigValues.Part values) {
        return new MembershipConfig(
                Math.max(1, values.int32("broker.heartbeat.interval.ms")),
                values.int32("initial.broker.registration.timeout.ms"),
                values.bool("controlled.shutdown.enable"));
    }

    static LogConfig logDefaults(ConfigValues.Part values, ConfigProblems problems, Map<String, String> properties) {
        for (ConfigKey key : BrokerKeys.all()) {
            if (key.owner().equals(LogConfig.class.getSimpleName())) {
                values.given(Object.class, key.name());
            }
        }
        boolean sound = true;
        for (ConfigKey key : TopicKeys.all()) {
            TopicSettings.Found found = TopicSettings.fromBroker(key.name(), properties);
            String refusal = found == null || BrokerKeys.get(found.key()).problem(properties.get(found.key())) != null
                    ? null
                    : TopicKeys.refusal(key.name(), found.value());
            if (refusal != null && BrokerKeys.get(found.key()).standing() == ConfigKey.Standing.IN_FORCE) {
                problems.add(found.key(), refusal);
            }
            sound &= refusal == null;
        }
        return sound && problems.none() ? LogConfig.of(TopicSettings.fromBroker(properties)) : LogConfig.defaults();
    }

    static GroupConfig groups(ConfigValues.Part values, ConfigProblems problems) {
        List<String> protocols = values.list("group.coordinator.rebalance.protocols");
        if (!protocols.contains("classic")) {
            problems.add("group.coordinator.rebalance.protocols", "classic cannot be turned off");
        }
        int codec = values.int32("offsets.topic.compression.codec");
        if (codec < 0 || codec > 4) {
            problems.add(
                    "offsets.topic.compression.codec",
                    codec + " is no codec; allowed: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd");
        }
        return new GroupConfig(
                new GroupConfig.OffsetsTopic(
                        values.int32("offsets.topic.num.partitions"),
                        values.int16("offsets.topic.replication.factor"),
                        values.int32("offsets.topic.segment.bytes"),
                        codec,
                        values.int32("offsets.load.buffer.size"),
                        values.int32("group.coordinator.append.linger.ms")),
                new GroupConfig.Offsets(
                        values.int32("offset.metadata.max.bytes"),
                        values.int32("offsets.commit.timeout.ms"),
                        values.int32("offsets.retention.minutes") * 60_000L,
                        values.int64("offsets.retention.check.interval.ms")),
                new GroupConfig.Classic(
                        values.int32("group.initial.rebalance.delay.ms"),
                        values.int32("group.min.session.timeout.ms"),
                        values.int32("group.max.session.timeout.ms"),
                        values.int32("group.max.size")),
                consumerGroups(values, problems),
                protocols.contains("consumer"));
    }

    static TransactionConfig transactions(ConfigValues.Part values) {
        return new TransactionConfig(
                new TransactionConfig.StateTopic(
                        values.int32("transaction.state.log.num.partitions"),
                        values.int16("transaction.state.log.replication.factor"),
                        values.int32("transaction.state.log.min.isr"),
                        values.int32("transaction.state.log.segment.bytes"),
                        values.int32("transaction.state.log.load.buffer.size")),
                values.int32("transaction.max.timeout.ms"),
                values.int32("transactional.id.expiration.ms"),
                values.int32("transaction.remove.expired.transaction.cleanup.interval.ms"),
                values.int32("add.partitions.to.txn.retry.backoff.ms"),
                values.int32("add.partitions.to.txn.retry.backoff.max.ms"));
    }

    private static GroupConfig.Consumer consumerGroups(ConfigValues.Part values, ConfigProblems problems) {
        List<String> assignors = values.list("group.consumer.assignors");
        if (assignors.isEmpty() || !List.of("uniform", "range").containsAll(assignors)) {
            problems.add("group.consumer.assignors", "allowed: one or both of uniform, range; classes are not loaded");
        }
        GroupConfig.Consumer consumer = new GroupConfig.Consumer(
                values.int32("group.consumer.session.timeout.ms"),
                values.int32("group.consumer.min.session.timeout.ms"),
                values.int32("group.consumer.max.session.timeout.ms"),
                values.int32("group.consumer.heartbeat.interval.ms"),
                values.int32("group.consumer.min.heartbeat.interval.ms"),
                values.int32("group.consumer.max.heartbeat.interval.ms"),
                values.int32("group.consumer.assignment.interval.ms"),
                values.int32("group.consumer.min.assignment.interval.ms"),
                values.int32("group.consumer.max.assignment.interval.ms"),
                values.int32("group.consumer.max.size"),
                assignors,
                values.bool("group.consumer.assignor.offload.enable"),
                values.string("group.consumer.migration.policy").toUpperCase(Locale.ROOT),
                values.int32("group.consumer.regex.refresh.interval.ms"));
        checkWithin(
                problems,
                "group.consumer.session.timeout.ms",
                consumer.sessionMillis(),
                consumer.minSessionMillis(),
                consumer.maxSessionMillis());
        checkWithin(
                problems,
                "group.consumer.heartbeat.interval.ms",
                consumer.heartbeatMillis(),
                consumer.minHeartbeatMillis(),
                consumer.maxHeartbeatMillis());
        checkWithin(
                problems,
                "group.consumer.assignment.interval.ms",
                consumer.assignmentMillis(),
                consumer.minAssignmentMillis(),
                consumer.maxAssignmentMillis());
        return consumer;
    }

    private static void checkWithin(ConfigProblems problems, String key, int value, int least, int most) {
        if (value < least || value > most) {
            problems.add(key, "must lie within its min and max keys: " + least + " to " + most);
        }
    }
}
