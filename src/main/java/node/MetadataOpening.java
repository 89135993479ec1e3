package node;

import common.Callback;
import common.FailureCode;
import config.ControllerConfig;
import config.LogConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import raft.OffsetAndEpoch;
import raft.RaftNode;
import raft.VoteState;
import raft.VoterSet;
import raft.VotersAt;
import storage.DiskExecutor;
import storage.LogIdentity;
import storage.OffsetRange;
import storage.PartitionLog;

/**
 * The start of this node's replica of the metadata, one step after another: vote file, metadata log, newest snapshot, what the log says of voters, then the
 * replica takes part. Each step's failure is the start's. On the controller's owner.
 */
final class MetadataOpening {
    private static final String RESTORE = "restore the log directory from a copy";

    private final ControllerNode.Setup setup;
    private final Callback<ControllerNode> done;
    private final VoteFile votes;
    private final SnapshotFiles snapshots = new SnapshotFiles(LogDirectories.METADATA_DIRECTORY);
    private final LogWork work = new LogWork();
    private final List<VotersAt> voters = new ArrayList<>();
    private final List<MetadataBatch> tail = new ArrayList<>();
    private PartitionLog log;
    private MetadataReader reader;
    private VoteState vote;
    private SnapshotFiles.Found found;
    private int tailBytes;

    MetadataOpening(ControllerNode.Setup setup, Callback<ControllerNode> done) {
        this.setup = setup;
        this.done = done;
        this.votes = new VoteFile(setup.disk());
    }

    /** A step that fails ends the start. */
    private <T> Callback<T> then(Next<T> next) {
        return (value, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else {
                next.go(value);
            }
        };
    }

    private interface Next<T> {
        void go(T value);
    }

    private void refuse(String why) {
        done.fail(FailureCode.INTERNAL, why);
    }

    void run() {
        votes.read(then(this::openLog));
    }

    private void openLog(VoteState read) {
        vote = read == null ? VoteState.NONE : read;
        LogIdentity identity = new LogIdentity(Topic.CLUSTER_METADATA_TOPIC_NAME, 0, Uuid.METADATA_TOPIC_ID.toString());
        setup.context().open(identity, logConfig(), setup.start(), then(opened -> {
            log = opened;
            reader = new MetadataReader(log, setup.disk());
            if (read == null && log.logEndOffset() > 0) {
                refuse("the metadata log has records but the vote file " + VoteFile.PATH
                        + " is missing: restore it from a copy of the log directory");
            } else if (log.logEndOffset() == 0 && setup.foundPartitions() > 0) {
                refuse("the log directories hold " + setup.foundPartitions()
                        + " partition(s), but the metadata log that says which topics they belong to is empty or missing: restore "
                        + LogDirectories.METADATA_DIRECTORY
                        + " from a copy, or give this node an empty directory; nothing was changed");
            } else {
                // What a crash left in the page cache only must be durable before it counts (rules R7, R8).
                log.flush(then(flushed -> findSnapshot()));
            }
        }));
    }

    /** Always durable (rule I7); retention is by snapshots only. */
    private LogConfig logConfig() {
        ControllerConfig config = setup.config().controller();
        Map<String, String> settings = new TreeMap<>();
        settings.put("flush.messages", "1");
        settings.put("internal.segment.bytes", String.valueOf(config.segmentBytes()));
        settings.put("segment.ms", String.valueOf(config.segmentMillis()));
        settings.put("max.message.bytes", String.valueOf(config.maxBatchBytes()));
        settings.put("retention.ms", "-1");
        settings.put("retention.bytes", "-1");
        return LogConfig.of(settings);
    }

    private void findSnapshot() {
        setup.disk().run(DiskExecutor.Lane.BLOCKING, snapshots.find(), then(all -> {
            found = all;
            if (found.unfinished() != null) {
                finishInstalling(found.unfinished());
            } else {
                checkSnapshot();
            }
        }));
    }

    /** The process ended while the log was to begin again at a snapshot of the leader. */
    private void finishInstalling(SnapshotFiles.Snapshot snapshot) {
        setup.recoveryPoints()
                .lower(
                        log,
                        log.logStartOffset(),
                        then(lowered -> log.restartAt(
                                snapshot.id().offset(),
                                then(restarted -> setup.disk()
                                        .run(
                                                DiskExecutor.Lane.BLOCKING,
                                                snapshots.installed(snapshot.id()),
                                                then(installed -> {
                                                    found = new SnapshotFiles.Found(
                                                            snapshot, List.of(snapshot.id()), null);
                                                    checkSnapshot();
                                                }))))));
    }

    private void checkSnapshot() {
        SnapshotFiles.Snapshot newest = found.newest();
        long start = log.logStartOffset();
        if (newest != null && newest.id().offset() > log.logEndOffset()) {
            refuse("the metadata log ends at offset " + log.logEndOffset() + ", before its snapshot at "
                    + newest.id().offset() + ": records are missing, " + RESTORE);
        } else if (start > 0 && (newest == null || newest.id().offset() < start)) {
            refuse("the metadata log starts at offset " + start + " and no snapshot reaches it: " + RESTORE
                    + ", or start this node with an empty one");
        } else {
            mendStart();
        }
    }

    /** A log begins at a snapshot of which the epoch is known; what lies below one that can be read may go, damage too. */
    private void mendStart() {
        long start = log.logStartOffset();
        SnapshotFiles.Snapshot newest = found.newest();
        boolean known = start == 0 || found.all().stream().anyMatch(each -> each.offset() == start);
        long damagedFrom = damagedFrom(start);
        boolean mends = newest != null && damagedFrom < newest.id().offset();
        if (known && !mends) {
            checkDamage();
        } else {
            log.advanceHighWatermark(newest.id().offset());
            log.deleteBefore(newest.id().offset(), then(raised -> checkDamage()));
        }
    }

    /** The first damaged offset that is not below {@code from}; Long.MAX_VALUE for none. */
    private long damagedFrom(long from) {
        long first = Long.MAX_VALUE;
        for (OffsetRange each : log.damagedOffsets()) {
            if (each.to() > from) {
                first = Math.min(first, Math.max(from, each.from()));
            }
        }
        return first;
    }

    /** Rule R15: rot is no torn tail. One who decides alone has nobody to fetch what is lost from. */
    private void checkDamage() {
        long damagedFrom = damagedFrom(log.logStartOffset());
        if (damagedFrom < Long.MAX_VALUE && (alone() || log.logEndOffset() <= damagedFrom)) {
            refuse("the metadata log is damaged (R15): " + log.damage() + "; " + RESTORE);
            return;
        }
        SnapshotFiles.Snapshot newest = found.newest();
        if (newest != null && newest.voters() != null) {
            voters.add(newest.votersAt());
        }
        scan(newest == null ? 0 : newest.id().offset(), damagedFrom);
    }

    private boolean alone() {
        VoterSet known = voters.isEmpty()
                ? quorum().voters()
                : voters.get(voters.size() - 1).voters();
        return known.size() == 1 && known.contains(setup.quorum().self());
    }

    /**
     * As the settings say. A node that was alone before they named others is still the one voter, until it takes them in: only voters vote for themselves, and
     * any quorum but of one begins with a record of its voters.
     */
    private QuorumPlace quorum() {
        QuorumPlace said = setup.quorum();
        boolean wasAlone = said.voters().size() == 0
                && voters.isEmpty()
                && log.logEndOffset() > 0
                && said.self().equals(vote.candidate());
        return wasAlone ? said.alone() : said;
    }

    /** What is behind the snapshot may be committed or not: the voters in it count in any case (rule R13). */
    private void scan(long from, long damagedFrom) {
        if (from >= Math.min(log.logEndOffset(), damagedFrom)) {
            checkVote(damagedFrom);
            return;
        }
        reader.batches(from, then(batches -> {
            VoterRecords.Found said = VoterRecords.in(batches);
            if (said.failure() != null) {
                done.fail(said.failure());
                return;
            }
            long next = from;
            for (MetadataBatch each : batches) {
                if (each.nextOffset() <= damagedFrom) {
                    keep(each);
                }
                next = each.nextOffset();
            }
            said.voters().stream().filter(each -> each.offset() < damagedFrom).forEach(voters::add);
            scan(next, damagedFrom);
        }));
    }

    private void keep(MetadataBatch batch) {
        if (tailBytes + batch.sizeInBytes() <= CommittedMetadata.TAIL_BYTES) {
            tail.add(batch);
        }
        tailBytes += batch.sizeInBytes();
    }

    private void checkVote(long damagedFrom) {
        SnapshotFiles.Snapshot newest = found.newest();
        OffsetAndEpoch snapshot = newest == null ? null : newest.id();
        MetadataRaftLog raftLog = new MetadataRaftLog(log, work, snapshot, damagedFrom);
        found.all().stream()
                .filter(each -> each.offset() >= log.logStartOffset())
                .forEach(raftLog::mayBeginAt);
        if (vote.epoch() < raftLog.end().epoch()) {
            refuse("the vote file " + VoteFile.PATH + " is older than the metadata log: restore both from one copy");
            return;
        }
        QuorumPlace quorum = quorum();
        RaftNode.Setup place = new RaftNode.Setup(
                quorum.self(),
                quorum.endpoints(),
                quorum.voters(),
                quorum.bootstrap(),
                quorum.timeouts(),
                setup.clusterId(),
                setup.ports().random(),
                setup.ports().mutations());
        RaftNode raft = new RaftNode(place, vote, raftLog, voters);
        MetadataImage image = newest == null ? MetadataImage.empty(setup.clusterId()) : newest.image(setup.clusterId());
        ControllerNode node = new ControllerNode(
                setup, new ControllerNode.Found(log, work, raftLog, raft, snapshots, votes, image, tail));
        if (alone()) {
            node.startAlone(then(active -> done.succeed(node)));
        } else {
            node.start(damagedFrom == Long.MAX_VALUE ? -1 : damagedFrom);
            done.succeed(node);
        }
    }
}
