package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Ports;
import java.nio.ByteBuffer;
import java.util.List;
import metadata.MetadataImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import raft.OffsetAndEpoch;
import raft.RaftNode;
import raft.RaftOutput;
import raft.VoterSet;
import raft.VotersAt;
import records.BatchHeader;
import records.ControlBatches;
import replication.FollowerReplica.RecoveryPoints;
import storage.DiskExecutor;
import storage.DiskExecutor.Lane;
import storage.PartitionLog;

/**
 * Does what consensus asks for on the metadata log and its snapshots, and tells it what came of it: what changes the log in its order ({@link LogWork}), reads at
 * once. Confined to the controller's owner.
 */
final class QuorumTasks {
    private static final Logger LOG = LoggerFactory.getLogger(QuorumTasks.class);

    /** What could not be written is not tried again at once. */
    private static final long PAUSE_MILLIS = 500;

    private final Parts parts;
    private final Ports ports;
    private final PartitionLog log;
    private final LogWork work;
    private RaftNode raft;
    private MetadataReplica replica;

    /**
     * What it works on.
     *
     * @param recoveryPoints of the metadata log
     * @param empty an image of the cluster without any record
     */
    record Parts(
            Ports ports,
            DiskExecutor disk,
            PartitionLog log,
            LogWork work,
            MetadataReader reader,
            CommittedMetadata committed,
            SnapshotFiles snapshots,
            MetadataRaftLog raftLog,
            RecoveryPoints recoveryPoints,
            MetadataImage empty) {}

    QuorumTasks(Parts parts) {
        this.parts = parts;
        this.ports = parts.ports;
        this.log = parts.log;
        this.work = parts.work;
    }

    /** Before any task. */
    void start(RaftNode node, MetadataReplica host) {
        raft = node;
        replica = host;
    }

    void run(RaftOutput.LogTask task) {
        if (task instanceof RaftOutput.AppendLeaderChange change) {
            work.add(true, finish -> appendLeaderChange(change, finish));
        } else if (task instanceof RaftOutput.AppendVoters change) {
            work.add(true, finish -> appendVoters(change, finish));
        } else if (task instanceof RaftOutput.AppendFetched fetched) {
            work.add(false, finish -> appendFetched(fetched.records(), finish));
        } else if (task instanceof RaftOutput.Truncate cut) {
            work.add(false, finish -> truncate(cut.end(), finish));
        } else if (task instanceof RaftOutput.Read read) {
            read(read);
        } else if (task instanceof RaftOutput.ReadSnapshot read) {
            readSnapshot(read);
        } else if (task instanceof RaftOutput.WriteSnapshot write) {
            work.add(false, finish -> writeSnapshot(write, finish));
        } else {
            OffsetAndEpoch id = ((RaftOutput.InstallSnapshot) task).snapshot();
            work.add(false, finish -> install(id, finish));
        }
    }

    private OffsetAndEpoch end() {
        long end = log.logEndOffset();
        return end == log.logStartOffset() ? parts.raftLog.start() : new OffsetAndEpoch(end, log.epochFor(end - 1));
    }

    /** The end of the log has moved up, with these voters records. */
    void grown(List<VotersAt> found) {
        replica.take(raft.appended(replica.now(), end(), found));
        replica.take(raft.durable(replica.now(), log.durableEndOffset()));
    }

    // Records of this node's own leadership.

    /** Rule R6: the leader's own record is the first of its epoch. */
    private void appendLeaderChange(RaftOutput.AppendLeaderChange change, LogWork.Finish finish) {
        List<Integer> voters =
                change.voters().voters().stream().map(each -> each.key().id()).toList();
        long wallMillis = ports.clock().wallMillis();
        ByteBuffer record = ControlBatches.leaderChange(
                0, wallMillis, change.epoch(), change.leaderId(), voters, change.granting());
        append(record, change.epoch(), null, finish);
    }

    private void appendVoters(RaftOutput.AppendVoters change, LogWork.Finish finish) {
        LOG.info("the metadata quorum shall be {}", change.voters());
        ByteBuffer record = VoterRecords.batch(
                change.voters(), change.epoch(), ports.clock().wallMillis());
        append(record, change.epoch(), change.voters(), finish);
    }

    private void append(ByteBuffer record, int epoch, VoterSet voters, LogWork.Finish finish) {
        long base = log.logEndOffset();
        log.append(record, epoch, (result, failure) -> {
            if (failure == null) {
                finish.then(() -> grown(voters == null ? List.of() : List.of(new VotersAt(base, voters))));
            } else {
                notAppended(failure, base, finish);
            }
        });
    }

    /** If the log may hold a part of it, only a restart reads what is really there. */
    private void notAppended(Failure failure, long base, LogWork.Finish finish) {
        boolean unchanged = log.logEndOffset() == base && failure.code() != FailureCode.SYNC_FAILED;
        LOG.error(
                "the metadata log could not be written: {}; {}",
                failure.message(),
                unchanged ? "it is tried again" : "this node takes no part in the quorum until it is restarted");
        replica.failed(failure);
        if (unchanged) {
            ports.timers().after(PAUSE_MILLIS, () -> finish.then(() -> replica.take(raft.appendFailed(replica.now()))));
        } else {
            finish.then(replica::broken);
        }
    }

    // Following.

    private void appendFetched(ByteBuffer records, LogWork.Finish finish) {
        parts.disk.run(Lane.BLOCKING, files -> MetadataBatch.decode(records), (decoded, failure) -> {
            long base = log.logEndOffset();
            Failure why = failure != null ? failure : decoded.failure();
            why = why != null ? why : misfit(decoded.batches(), base);
            VoterRecords.Found voters = why != null ? null : VoterRecords.in(decoded.batches());
            why = why != null ? why : voters.failure();
            if (why != null) {
                notAppended(why, base, finish);
                return;
            }
            int bytes = 0;
            for (MetadataBatch each : decoded.batches()) {
                bytes += each.sizeInBytes();
            }
            log.appendFetched(records.slice(records.position(), bytes), (result, unwritten) -> {
                if (unwritten == null) {
                    finish.then(() -> {
                        parts.committed.appended(decoded.batches());
                        grown(voters.voters());
                    });
                } else {
                    notAppended(unwritten, base, finish);
                }
            });
        });
    }

    /** Why these are not the batches that come next; null when they are. */
    private Failure misfit(List<MetadataBatch> batches, long end) {
        long next = end;
        int epoch = end().epoch();
        for (MetadataBatch each : batches) {
            if (each.baseOffset() != next || each.epoch() < epoch || each.epoch() > raft.epoch()) {
                return Failure.of(
                        FailureCode.CORRUPT_BATCH,
                        "the leader sent a batch at offset " + each.baseOffset() + " of epoch " + each.epoch()
                                + " where one at " + next + " of epochs " + epoch + " to " + raft.epoch()
                                + " comes next");
            }
            next = each.nextOffset();
            epoch = each.epoch();
        }
        return batches.isEmpty() ? Failure.of(FailureCode.CORRUPT_BATCH, "the leader sent no whole batch") : null;
    }

    private void truncate(long end, LogWork.Finish finish) {
        cut(end, (done, failure) -> {
            if (failure == null) {
                finish.then(() -> {
                    parts.committed.truncated(end);
                    replica.take(raft.truncated(replica.now(), end()));
                });
            } else {
                LOG.error("the metadata log could not be cut to {}: {}", end, failure.message());
                replica.failed(failure);
                finish.then(replica::broken);
            }
        });
    }

    /** Durably. A crash right after it must not take what was cut for damage (rule S8). */
    void cut(long end, Callback<Void> done) {
        LOG.info("the metadata log is cut from {} to {}", log.logEndOffset(), end);
        parts.recoveryPoints.lower(log, end, (lowered, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else {
                log.truncateTo(end, done);
            }
        });
    }

    // Answers to others.

    private void read(RaftOutput.Read read) {
        parts.reader.bytes(read.from(), (bytes, failure) -> {
            ByteBuffer whole = failure == null ? wholeBatches(bytes, read.from(), read.bound()) : null;
            if (whole == null) {
                LOG.warn(
                        "the metadata log cannot be read at {} for another node: {}",
                        read.from(),
                        failure == null ? "no batch begins there" : failure.message());
            }
            replica.take(raft.recordsRead(replica.now(), read.token(), whole));
        });
    }

    /** Null when no batch begins at {@code from}. */
    private static ByteBuffer wholeBatches(ByteBuffer bytes, long from, long bound) {
        int at = bytes.position();
        while (BatchHeader.isFramed(bytes, at) && BatchHeader.nextOffset(bytes, at) <= bound) {
            at += BatchHeader.sizeInBytes(bytes, at);
        }
        boolean fits = at > bytes.position() && BatchHeader.baseOffset(bytes, bytes.position()) == from;
        return fits ? bytes.slice(bytes.position(), at - bytes.position()) : null;
    }

    private void readSnapshot(RaftOutput.ReadSnapshot read) {
        parts.disk.run(Lane.BLOCKING, parts.snapshots.piece(read.snapshot(), read.position()), (piece, failure) -> {
            if (failure != null) {
                LOG.warn("metadata snapshot {} cannot be read: {}", read.snapshot(), failure.message());
            }
            long size = piece == null ? -1 : piece.size();
            ByteBuffer bytes = piece == null ? ByteBuffer.allocate(0) : piece.bytes();
            replica.take(raft.snapshotRead(replica.now(), read.token(), size, bytes));
        });
    }

    // A snapshot instead of the log.

    private void writeSnapshot(RaftOutput.WriteSnapshot write, LogWork.Finish finish) {
        parts.disk.run(
                Lane.BLOCKING,
                parts.snapshots.writePart(write.snapshot(), write.position(), write.bytes()),
                (end, failure) -> {
                    if (failure == null) {
                        finish.then(() -> replica.take(raft.snapshotWritten(replica.now(), write.snapshot(), end)));
                    } else {
                        notInstalled(write.snapshot(), failure, finish);
                    }
                });
    }

    private void install(OffsetAndEpoch id, LogWork.Finish finish) {
        parts.disk.run(Lane.BLOCKING, parts.snapshots.complete(id), (snapshot, failure) -> {
            if (failure != null || snapshot == null) {
                Failure why = failure != null ? failure : Failure.of(FailureCode.CORRUPT_BATCH, "it is not whole");
                notInstalled(id, why, finish);
            } else {
                restart(snapshot, (restarted, unfinished) -> {
                    if (unfinished == null) {
                        finish.then(() -> {
                            parts.committed.installed(snapshot.image(parts.empty.clusterId()));
                            replica.take(raft.snapshotInstalled(replica.now(), id, snapshot.votersAt()));
                        });
                    } else {
                        LOG.error("the metadata log could not begin at {}: {}", id, unfinished.message());
                        replica.failed(unfinished);
                        finish.then(replica::broken);
                    }
                });
            }
        });
    }

    private void notInstalled(OffsetAndEpoch id, Failure failure, LogWork.Finish finish) {
        LOG.error("metadata snapshot {} of the leader could not be installed: {}", id, failure.message());
        replica.failed(failure);
        ports.timers().after(PAUSE_MILLIS, () -> finish.then(() -> replica.take(raft.snapshotFailed(replica.now()))));
    }

    /** The log ends, and begins again, with a snapshot that is {@link SnapshotFiles#INSTALLING}; goes on where an earlier attempt has ended. */
    void restart(SnapshotFiles.Snapshot snapshot, Callback<Void> done) {
        LOG.info("the metadata log begins at snapshot {}", snapshot.id());
        parts.raftLog.mayBeginAt(snapshot.id());
        parts.recoveryPoints.lower(log, log.logStartOffset(), (lowered, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            log.restartAt(snapshot.id().offset(), (restarted, unfinished) -> {
                if (unfinished != null) {
                    done.fail(unfinished);
                    return;
                }
                parts.raftLog.snapshotTaken(snapshot.id());
                parts.disk.run(Lane.BLOCKING, parts.snapshots.installed(snapshot.id()), done);
            });
        });
    }
}
