package node;

import common.Callback;
import common.FailureCode;
import config.ControllerConfig;
import config.Listener;
import config.LogConfig;
import controller.ControllerMachine;
import controller.Decision;
import highwater.metadata.MetadataRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.Endpoint;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import raft.OffsetAndEpoch;
import raft.RaftNode;
import raft.RaftOutput;
import raft.RaftTimeouts;
import raft.ReplicaKey;
import raft.VoteState;
import raft.VoterSet;
import records.ControlBatches;
import storage.AtomicFile;
import storage.DiskExecutor;
import storage.DiskJob;
import storage.LogIdentity;
import storage.PartitionLog;

/**
 * The start of the controller, one step after another: vote file, metadata log, replay, election, first records. Each step's failure is the start's. On the
 * controller's owner.
 */
final class ControllerOpening {
    private static final String VOTE_PATH = LogDirectories.METADATA_DIRECTORY + "/" + VoteState.FILE_NAME;

    private static final String RESTORE_VOTE =
            "Restore it from a copy of the log directory; without it this node could vote twice in one epoch";

    private static final int RECORDS_AT_ONCE = 10_000;

    private final ControllerNode.Setup setup;
    private final Callback<ControllerNode> done;
    private final ControllerMachine machine;
    private PartitionLog log;
    private RaftNode raft;
    private long snapshotEnd;

    ControllerOpening(ControllerNode.Setup setup, Callback<ControllerNode> done) {
        this.setup = setup;
        this.done = done;
        this.machine =
                new ControllerMachine(setup.config(), setup.ports().random(), MetadataImage.empty(setup.clusterId()));
    }

    /** What the vote file holds; state null when there is none. */
    private record FoundVote(VoteState state, String unreadable) {}

    void run() {
        setup.disk().run(DiskExecutor.Lane.BLOCKING, readVote(), (vote, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else if (vote.unreadable != null) {
                done.fail(
                        FailureCode.INTERNAL, "the vote file " + VOTE_PATH + " cannot be trusted: " + vote.unreadable);
            } else {
                openLog(vote.state);
            }
        });
    }

    private static DiskJob<FoundVote> readVote() {
        return files -> {
            if (!files.exists(VOTE_PATH)) {
                return new FoundVote(null, null);
            }
            ByteBuffer content = AtomicFile.read(files, VOTE_PATH, 4096);
            if (content == null) {
                return new FoundVote(null, "it is larger than any vote file. " + RESTORE_VOTE);
            }
            if (content.hasRemaining() && content.get(content.position()) == '{') {
                return new FoundVote(
                        null,
                        "it is one of Apache Kafka, whose metadata Highwater does not take over. Give this node a log"
                                + " directory of its own, and copy the records with a client");
            }
            try {
                return new FoundVote(VoteState.decode(content), null);
            } catch (VoteState.UnreadableException e) {
                return new FoundVote(null, e.getMessage() + ". " + RESTORE_VOTE);
            }
        };
    }

    private void openLog(VoteState vote) {
        LogIdentity identity = new LogIdentity(Topic.CLUSTER_METADATA_TOPIC_NAME, 0, Uuid.METADATA_TOPIC_ID.toString());
        setup.context().open(identity, logConfig(), setup.start(), (opened, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            log = opened;
            if (log.damage() != null) {
                done.fail(
                        FailureCode.INTERNAL,
                        "the metadata log is damaged (R15): " + log.damage()
                                + "; restore the log directory from a copy");
                return;
            }
            if (vote == null && log.logEndOffset() > 0) {
                done.fail(
                        FailureCode.INTERNAL,
                        "the metadata log has records but the vote file " + VOTE_PATH
                                + " is missing: restore it from a copy of the log directory");
                return;
            }
            if (log.logEndOffset() == 0 && setup.foundPartitions() > 0) {
                done.fail(
                        FailureCode.INTERNAL,
                        "the log directories hold " + setup.foundPartitions()
                                + " partition(s), but the metadata log that says which topics they belong to is empty or missing: restore "
                                + LogDirectories.METADATA_DIRECTORY
                                + " from a copy, or give this node an empty directory; nothing was changed");
                return;
            }
            replay(vote == null ? VoteState.NONE : vote);
        });
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

    private void replay(VoteState vote) {
        // What a crash left in the page cache only must be durable before it counts as committed (rule R7).
        log.flush((flushed, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            log.advanceHighWatermark(log.logEndOffset());
            new MetadataLoader(log, setup.disk(), machine, (loaded, unloaded) -> {
                        snapshotEnd = unloaded == null ? loaded : 0;
                        if (unloaded != null) {
                            done.fail(unloaded);
                        } else if (vote.epoch() < log.latestEpoch()) {
                            done.fail(
                                    FailureCode.INTERNAL,
                                    "the vote file " + VOTE_PATH
                                            + " is older than the metadata log: restore both from one copy");
                        } else {
                            stand(vote);
                        }
                    })
                    .run();
        });
    }

    private void stand(VoteState vote) {
        Uuid directory = setup.logDirs().get(0);
        ReplicaKey self = new ReplicaKey(
                setup.config().node().nodeId(),
                directory.getMostSignificantBits(),
                directory.getLeastSignificantBits());
        raft = new RaftNode(alone(self), vote, new MetadataRaftLog(log, snapshotEnd), List.of());
        VoteState persist = raft.start(now(), -1).persist();
        setup.disk().run(DiskExecutor.Lane.BLOCKING, writeVote(persist), (written, failure) -> {
            if (failure != null) {
                done.fail(failure.code(), "the vote file " + VOTE_PATH + " cannot be written: " + failure.message());
                return;
            }
            lead(raft.votePersisted(now(), persist));
        });
    }

    /** A quorum of one: it waits for nobody, so no timeout matters. */
    private RaftNode.Setup alone(ReplicaKey self) {
        VoterSet voters = new VoterSet(List.of(new VoterSet.Voter(self, List.of())));
        RaftTimeouts timeouts = new RaftTimeouts(1_000, 1_000, 1_000, 2_000, 20);
        return new RaftNode.Setup(
                self,
                List.of(),
                voters,
                List.of(),
                timeouts,
                setup.clusterId(),
                setup.ports().random(),
                setup.ports().mutations());
    }

    private long now() {
        return MetadataRaftLog.now(setup.ports().clock());
    }

    private static DiskJob<Void> writeVote(VoteState vote) {
        return files -> {
            if (!files.exists(LogDirectories.METADATA_DIRECTORY)) {
                files.createDirectory(LogDirectories.METADATA_DIRECTORY);
            }
            // Also when it is there: a process killed before this line left a name that only the page cache has (rule
            // S4).
            files.syncDirectory("");
            AtomicFile.replace(files, VOTE_PATH, vote.encode());
            return null;
        };
    }

    /** Rule R6: the leader's own record is the first of its epoch; nothing older counts as committed before it is. */
    private void lead(RaftOutput elected) {
        RaftOutput.AppendLeaderChange change =
                (RaftOutput.AppendLeaderChange) elected.tasks().get(0);
        log.beginEpoch(change.epoch(), (begun, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else {
                appendLeaderChange(change);
            }
        });
    }

    private void appendLeaderChange(RaftOutput.AppendLeaderChange change) {
        int epoch = change.epoch();
        List<Integer> voters =
                change.voters().voters().stream().map(each -> each.key().id()).toList();
        long wallMillis = setup.ports().clock().wallMillis();
        ByteBuffer record =
                ControlBatches.leaderChange(0, wallMillis, epoch, change.leaderId(), voters, change.granting());
        log.append(record, epoch, (appended, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            raft.appended(now(), new OffsetAndEpoch(log.logEndOffset(), epoch), List.of());
            log.advanceHighWatermark(raft.durable(now(), log.durableEndOffset()).highWatermark());
            machine.skipTo(log.logEndOffset());
            machine.controllerIs(change.leaderId());
            register();
        });
    }

    private void register() {
        Publications publications = new Publications(setup.publisher());
        MetadataJournal journal = new MetadataJournal(
                machine,
                raft,
                log,
                publications,
                setup.ports().clock(),
                setup.config().controller().maxBatchBytes());
        ControllerNode node = new ControllerNode(setup, log, raft, journal, publications, snapshotEnd);
        List<List<MetadataRecord>> changes = firstChanges();
        Countdown rest = new Countdown(changes.size(), (written, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else {
                done.succeed(node);
            }
        });
        for (List<MetadataRecord> each : changes) {
            journal.submit(new MetadataJournal.Request<>(
                    ignored -> new Decision<>(each, true), false, (written, failure) -> rest.one(failure)));
        }
    }

    /** What a start changes, in pieces that fit into a batch, however many partitions a topic has, and that need not take effect together. */
    private List<List<MetadataRecord>> firstChanges() {
        List<List<MetadataRecord>> changes = new ArrayList<>();
        List<MetadataRecord> all = new ArrayList<>(machine.bootstrap());
        all.addAll(machine.register(self(), setup.cleanStop()));
        long most = MetadataJournal.mostBytesOf(setup.config().controller().maxBatchBytes());
        List<MetadataRecord> piece = new ArrayList<>();
        long size = MetadataBatch.size(piece);
        for (MetadataRecord record : all) {
            long bytes = MetadataBatch.size(record);
            if (piece.size() == RECORDS_AT_ONCE || size + bytes > most) {
                changes.add(piece);
                piece = new ArrayList<>();
                size = MetadataBatch.size(piece);
            }
            piece.add(record);
            size += bytes;
        }
        changes.add(piece);
        return changes;
    }

    private BrokerImage self() {
        List<Endpoint> endpoints = new ArrayList<>();
        for (Listener each : setup.config().node().advertised()) {
            endpoints.add(new Endpoint(each.name(), each.host(), each.port(), each.securityProtocol()));
        }
        Uuid incarnation = new Uuid(
                setup.ports().random().nextLong(), setup.ports().random().nextLong());
        return new BrokerImage(
                setup.config().node().nodeId(),
                -1,
                incarnation,
                endpoints,
                setup.config().node().rack(),
                false,
                setup.logDirs());
    }
}
