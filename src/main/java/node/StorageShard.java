package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.PartitionId;
import common.Ports;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import metadata.MetadataImage;
import replication.LeaderReplica;
import replication.ReadableReplica;
import replication.ReplicaShard;
import replication.WaitingFetch;
import storage.ActiveProducer;
import storage.EpochEnd;
import storage.ReadBound;
import storage.TimestampOffset;

/**
 * The owner of a share of this node's partitions (plan, section 4): takes requests, finds their partitions, gathers the answers. Confined to its loop; no
 * other owner touches its logs.
 */
public final class StorageShard implements ReplicaShard {
    static final Failure UNKNOWN = Failure.of(FailureCode.UNKNOWN_TOPIC_ID, "this broker does not hold the partition");

    private final Ports ports;
    private final PartitionTable partitions;
    private final ShardImage image;
    private final ShardDirectories directories;
    private final Map<FetchId, WaitingFetch> waiting = new LinkedHashMap<>();
    /** Fetches whose read waits for the disk. */
    private final Map<FetchId, FetchRead> reading = new LinkedHashMap<>();

    private final FollowerSessions followers;

    StorageShard(
            Ports ports,
            PartitionTable partitions,
            ShardImage image,
            ShardDirectories directories,
            FollowerSessions followers) {
        this.ports = ports;
        this.partitions = partitions;
        this.image = image;
        this.directories = directories;
        this.followers = followers;
    }

    static ReadOutcome unknown() {
        return new ReadOutcome(null, null, UNKNOWN, -1, -1);
    }

    @Override
    public void produce(Produce request, Callback<List<Outcome<Produced>>> done) {
        List<ProducePartition> wishes = request.partitions();
        Answers<Outcome<Produced>> answers = new Answers<>(wishes.size(), (all, failure) -> {
            request.records().release();
            done.succeed(all);
        });
        for (int i = 0; i < wishes.size(); i++) {
            ProducePartition wish = wishes.get(i);
            LeaderReplica replica = partitions.get(wish.partition());
            if (replica == null) {
                answers.put(i, new Outcome<>(null, partitions.failureOf(wish.partition())));
            } else {
                replica.produce(wish.records(), request, answers.at(i));
            }
        }
    }

    @Override
    public void writeMarkers(List<Marker> markers, Callback<List<Outcome<Void>>> done) {
        Answers<Outcome<Void>> answers = new Answers<>(markers.size(), done);
        for (int i = 0; i < markers.size(); i++) {
            Marker marker = markers.get(i);
            LeaderReplica replica = partitions.get(marker.partition());
            if (replica == null) {
                answers.put(i, new Outcome<>(null, partitions.failureOf(marker.partition())));
            } else {
                replica.writeMarker(marker, ports.clock().wallMillis(), answers.at(i));
            }
        }
    }

    @Override
    public void fetch(FetchId id, Read request, int minBytes, long maxWaitMillis, Callback<List<ReadOutcome>> done) {
        WaitPlan plan = new WaitPlan(minBytes, maxWaitMillis);
        if (request.reader().isReplica()) {
            // Of all partitions, before a read of one of them waits for the disk: acknowledgements wait for these
            // positions.
            countPositions(request, plan);
        }
        read(id, request, plan, done);
    }

    /** How a fetch is answered. */
    private static final class WaitPlan {
        private final int minBytes;
        private final long maxWaitMillis;
        /** Per partition why the replica that asks gets nothing, null for none; null: nobody is refused. */
        private Failure[] refused;
        /** What the replica's positions say has moved a high watermark. */
        private boolean newHighWatermark;

        WaitPlan(int minBytes, long maxWaitMillis) {
            this.minBytes = minBytes;
            this.maxWaitMillis = maxWaitMillis;
        }
    }

    private void countPositions(Read request, WaitPlan plan) {
        Reader reader = request.reader();
        List<ReadPartition> wishes = request.partitions();
        for (int i = 0; i < wishes.size(); i++) {
            LeaderReplica replica = partitions.get(wishes.get(i).partition());
            if (replica == null) {
                continue;
            }
            long before = replica.readableEnd(ReadBound.HIGH_WATERMARK);
            Failure why = replica.followerFetches(reader.replicaId(), reader.brokerEpoch(), wishes.get(i));
            plan.newHighWatermark |= replica.readableEnd(ReadBound.HIGH_WATERMARK) > before;
            if (why != null) {
                plan.refused = plan.refused == null ? new Failure[wishes.size()] : plan.refused;
                plan.refused[i] = why;
            }
        }
    }

    private void read(FetchId id, Read request, WaitPlan plan, Callback<List<ReadOutcome>> done) {
        List<ReadableReplica> replicas = new ArrayList<>(request.partitions().size());
        for (ReadPartition each : request.partitions()) {
            replicas.add(partitions.readable(each.partition(), request.reader()));
        }
        FetchRead begun = new FetchRead(request, replicas, plan.refused, (read, failure) -> {
            reading.remove(id, read);
            boolean enough =
                    read.bytes() >= plan.minBytes || read.urgent() || read.cancelled() || plan.maxWaitMillis <= 0;
            if (enough) {
                done.succeed(explained(request, read.outcomes()));
            } else if (read.overtaken()) {
                read.releaseRanges();
                read(id, request, plan, done);
            } else {
                read.releaseRanges();
                await(id, request, plan, read, done);
            }
        });
        begun.run();
        if (begun.pending()) {
            reading.put(id, begun);
        }
    }

    private void await(FetchId id, Read request, WaitPlan plan, FetchRead read, Callback<List<ReadOutcome>> done) {
        long missing = plan.minBytes - read.bytes();
        WaitingFetch wait = new WaitingFetch(read.replicas(), request.bound(), missing, () -> {
            waiting.remove(id);
            read(id, request, new WaitPlan(0, 0), done);
        });
        waiting.put(id, wait);
        wait.start(ports.timers(), plan.maxWaitMillis);
        if (plan.newHighWatermark) {
            wait.highWatermarkMoved();
        }
    }

    /** Puts the reason where a partition is not here at all. */
    private List<ReadOutcome> explained(Read request, List<ReadOutcome> outcomes) {
        for (int i = 0; i < outcomes.size(); i++) {
            if (UNKNOWN.equals(outcomes.get(i).failure())) {
                ReadPartition wish = request.partitions().get(i);
                Failure why = partitions.failureOf(wish.partition(), wish.currentLeaderEpoch());
                outcomes.set(i, new ReadOutcome(null, null, why, -1, -1));
            }
        }
        return outcomes;
    }

    @Override
    public void cancelFetch(FetchId id) {
        WaitingFetch wait = waiting.get(id);
        if (wait != null) {
            wait.finish();
        }
        FetchRead read = reading.get(id);
        if (read != null) {
            read.cancel();
        }
    }

    @Override
    public void fetchNews(SessionRead request, Callback<List<News>> done) {
        followers.fetch(request, done);
    }

    @Override
    public void hurrySession(SessionId session) {
        followers.hurry(session);
    }

    @Override
    public void endSession(SessionId session) {
        followers.end(session);
    }

    @Override
    public void listOffsets(List<OffsetQuery> queries, Callback<List<Outcome<TimestampOffset>>> done) {
        Answers<Outcome<TimestampOffset>> answers = new Answers<>(queries.size(), done);
        for (int i = 0; i < queries.size(); i++) {
            OffsetQuery query = queries.get(i);
            LeaderReplica replica = partitions.get(query.partition());
            if (replica == null) {
                answers.put(
                        i, new Outcome<>(null, partitions.failureOf(query.partition(), query.currentLeaderEpoch())));
            } else {
                replica.offsetFor(query, answers.at(i));
            }
        }
    }

    @Override
    public void endOffsets(List<EpochQuery> queries, Callback<List<Outcome<EpochEnd>>> done) {
        Answers<Outcome<EpochEnd>> answers = new Answers<>(queries.size(), done);
        for (int i = 0; i < queries.size(); i++) {
            EpochQuery query = queries.get(i);
            LeaderReplica replica = partitions.get(query.partition());
            if (replica == null) {
                answers.put(
                        i, new Outcome<>(null, partitions.failureOf(query.partition(), query.currentLeaderEpoch())));
            } else {
                replica.endOfEpoch(query.currentLeaderEpoch(), query.leaderEpoch(), answers.at(i));
            }
        }
    }

    @Override
    public void deleteRecords(List<DeleteQuery> queries, Callback<List<Outcome<Long>>> done) {
        Answers<Outcome<Long>> answers = new Answers<>(queries.size(), done);
        for (int i = 0; i < queries.size(); i++) {
            DeleteQuery query = queries.get(i);
            LeaderReplica replica = partitions.get(query.partition());
            if (replica == null) {
                answers.put(i, new Outcome<>(null, partitions.failureOf(query.partition())));
            } else {
                replica.deleteBefore(query.offset(), answers.at(i));
            }
        }
    }

    @Override
    public void describeProducers(List<PartitionId> asked, Callback<List<Outcome<List<ActiveProducer>>>> done) {
        List<Outcome<List<ActiveProducer>>> answers = new ArrayList<>(asked.size());
        for (PartitionId each : asked) {
            LeaderReplica replica = partitions.get(each);
            answers.add(replica == null ? new Outcome<>(null, partitions.failureOf(each)) : replica.activeProducers());
        }
        done.succeed(answers);
    }

    @Override
    public void describeLogDirs(Callback<List<LogDirInfo>> done) {
        directories.describe(partitions, done);
    }

    @Override
    public void applyImage(MetadataImage next, Callback<Void> done) {
        image.apply(next, done);
    }

    /** Another shard met a failed sync in the log directory (rule S3). */
    void directoryOffline(int directory, Failure why) {
        directories.goOffline(directory, why);
        partitions.directoryOffline();
        image.counts().offline(partitions.offline());
    }

    /** Starts the periodic duties; once, after the first image was applied. */
    void startDuties() {
        directories.startDuties(partitions);
    }

    /** A clean stop of this shard (rule S6): ends waiting fetches, makes all logs durable, reports the checkpoints. */
    public void stop(Callback<Void> done) {
        List.copyOf(waiting.values()).forEach(WaitingFetch::finish);
        reading.values().forEach(FetchRead::cancel);
        followers.stop();
        directories.stopDuties();
        partitions.closeAll((closed, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            directories.reportLast(done);
        });
    }
}
