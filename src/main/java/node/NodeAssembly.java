package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.OwnerId;
import common.Peers;
import common.Ports;
import config.BrokerConfig;
import config.NetworkConfig;
import config.NodeConfig;
import config.StorageConfig;
import controller.BootReport;
import controller.Controller;
import controller.MetadataQuorum;
import coordinator.RuntimeStats;
import group.GroupCoordinator;
import group.GroupCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import metadata.EffectiveConfigs;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import org.apache.kafka.common.Uuid;
import protocol.ApiHandler;
import protocol.ApiVersionsHandler;
import protocol.ConnectionLimits;
import protocol.ControllerHandlers;
import protocol.HandlerTable;
import protocol.Instance;
import protocol.QuorumHandlers;
import protocol.RequestMemory;
import raft.ReplicaKey;
import replication.LateTransactions;
import replication.ReplicaShard;
import replication.TransactionVerifier;
import services.ControllerService;
import services.QuorumService;
import storage.CleanerTools;
import storage.DiskExecutor;
import storage.LogCleaner;
import storage.LogDirectory;
import storage.LogDirectory.FoundPartition;
import storage.LogLimits;
import storage.LogStart;
import storage.ProducerExpiry;
import transaction.TransactionCoordinator;
import transaction.TransactionStats;

/**
 * Puts a node together from its host's loops and disks, in the order that safety asks for, and takes it apart again. Pure: the simulator runs the same
 * assembly. All methods on loop 0 unless said otherwise.
 *
 * <p>Start: open and lock the log directories; load the metadata log; register as a broker; set strays aside; let every shard recover and open its partitions; give the image
 * to the doors; take part in the cluster. Stop: {@link #leave} while the doors are open; the host closes the doors; then coordinators let what they began be committed, shards and controller make their logs durable, the checkpoints are written, and last the clean
 * marks (rule S6).
 */
public final class NodeAssembly {
    private static final long STOP_TIMEOUT_MILLIS = 300_000;
    private static final OwnerId<Suspicions> SUSPICIONS = new OwnerId<>(Suspicions.class, 0);
    /** Of the heap, what the keys of logs that are being cleaned may take. */
    private static final int CLEANER_HEAP_PART = 8;
    /** Of the heap, what records of one internal topic may take until they are committed. */
    private static final int COORDINATOR_HEAP_PART = 16;

    private static final long LEAST_COORDINATOR_BYTES = 4 << 20;
    private static final int METADATA_OPEN_FILES = 16;

    private final NodeHost host;
    private final BrokerConfig config;
    private final Ports ports;
    private final EffectiveConfigs effective;
    private final int metadataIndex;
    private final LogDirectories directories;
    private final OpenFileShare openFiles;
    private final List<LoopParts> loops = new ArrayList<>();
    private final List<CheckpointKeeper> keepers = new ArrayList<>();
    private ShardDirectory metadataDirectory;
    private ControllerNode controller;
    private ControllerClient client;
    private BrokerMembership membership;

    /** What one loop carries. */
    private record LoopParts(
            StorageShard shard,
            GroupCoordinatorNode groups,
            TransactionCoordinatorNode transactions,
            LateTransactions late,
            ReplicaCounts counts,
            Instance instance) {}

    /** Who the node turned out to be. */
    public record Started(String clusterId, int nodeId) {}

    public NodeAssembly(NodeHost host, BrokerConfig config) {
        this.host = host;
        this.config = config;
        this.ports = host.ports(0);
        this.effective = new EffectiveConfigs(config);
        List<String> paths = config.storage().logDirs();
        this.openFiles =
                OpenFileShare.of(config.storage().maxOpenFiles(), host.openFileLimit(), host.loops(), paths.size());
        List<DiskExecutor> disks = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            disks.add(host.disk(i, 0));
        }
        this.metadataIndex = Math.max(0, paths.indexOf(config.storage().metadataLogDir()));
        this.directories = new LogDirectories(paths, disks, metadataIndex, ports.random());
    }

    /** Fails with the reason why this node may not or cannot serve; nothing foreign was touched then. */
    public void start(Callback<Started> done) {
        openFiles.warnIfRaised();
        LogDirectory.OpenRequest request = new LogDirectory.OpenRequest(
                config.node().nodeId(),
                config.quorum().clusterId(),
                config.quorum().alone() ? directories.randomUuid().toString() : null,
                null,
                ports.mutations());
        directories.open(request, (clusterId, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            registerKeepers();
            startController(clusterId, done);
        });
    }

    private void registerKeepers() {
        for (int i = 0; i < config.storage().logDirs().size(); i++) {
            CheckpointKeeper keeper = new CheckpointKeeper(host.disk(i, 0));
            keepers.add(keeper);
            host.register(new OwnerId<>(CheckpointKeeper.class, i), keeper, 0);
        }
    }

    private void startController(String clusterId, Callback<Started> done) {
        metadataDirectory = directory(metadataIndex, -1, 0);
        FoundPartition found = directories.metadataLog();
        LogStart start = found == null ? LogStart.NEW : found.start();
        if (found != null) {
            keepers.get(metadataIndex).begin(-1, List.of(ShardDirectory.line(found)));
        }
        Uuid incarnation = config.node().broker() ? directories.randomUuid() : null;
        ControllerNode.Setup setup = new ControllerNode.Setup(
                ports,
                metadataDirectory.context(),
                start,
                metadataDirectory.disk(),
                config,
                clusterId,
                incarnation,
                directories.foundPartitions(),
                publisher(),
                metadataDirectory::lower,
                quorumPlace());
        ControllerNode.open(setup, (opened, failure) -> {
            if (failure != null) {
                String why = LogDirectories.explained(metadataDirectory.path(), failure);
                done.fail(failure.code(), "the metadata log cannot be used: " + why);
                return;
            }
            controller = opened;
            metadataDirectory.opened(opened.log());
            registerController(opened);
            serveControllers(opened);
            if (clusterId != null) {
                register(clusterId, incarnation, done);
            } else {
                opened.whenClusterKnown(id -> join(id, incarnation, done));
            }
        });
    }

    /** Applied: every loop has it. A node that is no broker keeps nothing by it. */
    private MetadataPublisher publisher() {
        if (!config.node().broker()) {
            return (image, applied) -> applied.succeed(null);
        }
        ImageBroadcast broadcast = new ImageBroadcast(ports.mailboxes(), host.loops());
        return (image, applied) -> broadcast.publish(image, (none, failure) -> {
            membership.applied(image);
            applied.done(none, failure);
        });
    }

    /** The active controller, wherever it is; and this node's own, for who comes to its listener. */
    private void registerController(ControllerNode own) {
        Peers peers = host.peers(0, config.node().nodeId());
        client = new ControllerClient(ports, config, own.active(), own, peers, this::suspect);
        own.lookWith(new SuspectedBrokers(peers, config.node().interBroker(), own::image, broker -> {
            own.fence(broker.id(), broker.epoch(), (fenced, failure) -> {});
        }));
        host.register(new OwnerId<>(Controller.class, 0), client, 0);
        host.register(ControllerService.OWN, own, 0);
        host.register(new OwnerId<>(MetadataQuorum.class, 0), own.quorum(), 0);
    }

    private void suspect(int nodeId) {
        if (membership != null) {
            membership.suspect(nodeId);
        }
    }

    private void join(String clusterId, Uuid incarnation, Callback<Started> done) {
        directories.join(clusterId, (joined, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else {
                register(clusterId, incarnation, done);
            }
        });
    }

    /** The directories are claimed when the metadata knows this process: it then says all that concerns them. */
    private void register(String clusterId, Uuid incarnation, Callback<Started> done) {
        if (!config.node().broker()) {
            controller.publish((published, failure) ->
                    done.succeed(new Started(clusterId, config.node().nodeId())));
            return;
        }
        BrokerImage before = controller.image().broker(config.node().nodeId());
        BrokerMembership.Self self = new BrokerMembership.Self(
                clusterId,
                incarnation,
                directories.directoryIds(),
                InterBroker.advertised(config.node(), host::reachable),
                directories.cleanEpoch(before == null ? -1 : before.epoch()),
                new BootReport(host.bootId(), config.logDefaults().durable()));
        membership = new BrokerMembership(ports, config, self, host::halt);
        host.register(SUSPICIONS, membership, 0);
        membership.register((epoch, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else {
                controller.whenCommitted(epoch, () -> claim(clusterId, controller.image(), done));
            }
        });
    }

    /** This node as a replica of the metadata log, which is another one with another directory (KIP-853). */
    private ReplicaKey replicaKey() {
        Uuid directory = directories.directoryIds().get(0);
        return new ReplicaKey(
                config.node().nodeId(), directory.getMostSignificantBits(), directory.getLeastSignificantBits());
    }

    private QuorumPlace quorumPlace() {
        NodeConfig node = config.node();
        QuorumLines lines = new QuorumLines(
                host.peers(0, node.nodeId()),
                QuorumEndpoints.listener(node),
                config.quorum().timeouts().request());
        return QuorumPlace.of(
                config,
                replicaKey(),
                QuorumEndpoints.of(config, host::reachable),
                new WatchedLines(lines, this::suspect));
    }

    private void claim(String clusterId, MetadataImage image, Callback<Started> done) {
        int nodeId = config.node().nodeId();
        DirectoryReports reports = new DirectoryReports(
                ports, nodeId, membership.epoch(), config.controller().maxBatchBytes());
        directories.claim(image, (claimed, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            ReplicaDirectories lie = new ReplicaDirectories(directories, nodeId);
            reports.assign(lie.changes(image, claimed), (assigned, unassigned) -> {
                if (unassigned != null) {
                    done.fail(unassigned);
                } else {
                    serve(clusterId, claimed, done);
                }
            });
        });
    }

    private void serve(String clusterId, List<LogDirectories.Claimed> claimed, Callback<Started> done) {
        MetadataImage empty = MetadataImage.empty(clusterId);
        for (int loop = 0; loop < host.loops(); loop++) {
            loops.add(assemble(loop, empty, claimed));
        }
        RuntimeStats.report(
                ports.metrics(),
                GroupCoordinatorNode.METRICS,
                loops.stream().map(each -> each.groups.stats()).toList());
        RuntimeStats.report(
                ports.metrics(),
                TransactionCoordinatorNode.METRICS,
                loops.stream().map(each -> each.transactions.stats()).toList());
        TransactionStats.report(
                ports.metrics(),
                ports.clock(),
                loops.stream().map(each -> each.transactions.transactionStats()).toList());
        LateTransactions.report(
                ports.metrics(), loops.stream().map(LoopParts::late).toList());
        ReplicaCounts.report(
                ports.metrics(), loops.stream().map(LoopParts::counts).toList());
        GroupCounts.report(
                ports.metrics(),
                loops.stream().map(each -> each.groups.counts()).toList());
        controller.publish((published, problem) -> {
            if (problem != null) {
                done.fail(problem);
                return;
            }
            for (int loop = 0; loop < loops.size(); loop++) {
                host.execute(loop, loops.get(loop).shard::startDuties);
            }
            membership.join((joined, refused) ->
                    done.succeed(new Started(clusterId, config.node().nodeId())));
        });
    }

    private LoopParts assemble(int loop, MetadataImage empty, List<LogDirectories.Claimed> claimed) {
        Ports own = host.ports(loop);
        List<ShardDirectory> mine = directoriesOf(loop, claimed);
        LoopImage image = new LoopImage(empty);
        DoorHandlers.Services services = new DoorHandlers.Services(config, own, host.loops());
        TransactionVerifier verifier = new NodeTransactionVerifier(
                services.transactions(),
                brokerLines(loop, image),
                own.timers(),
                config.transactions(),
                task -> host.execute(loop, task));
        ReplicationThrottles throttles = new ReplicationThrottles(
                config.node().nodeId(), config.fetcher(), host.loops(), own.clock(), image::get);
        PartitionTable table = partitions(own, loop, mine, verifier, throttles, empty);
        ReplicaCounts counts = new ReplicaCounts(config.node().nodeId());
        ShardImage.Share share = new ShardImage.Share(config.node().nodeId(), loop, host.loops());
        LogCleaner cleaner = cleaner(own, table, loop);
        LateTransactions late = new LateTransactions(config.transactions().maxTimeoutMillis());
        ProducerExpiry expiry = new ProducerExpiry(
                own,
                table::logs,
                config.storage().producerExpiryMillis(),
                config.storage().producerExpiryCheckMillis());
        List<ShardDirectory> alsoReported = loop == 0 ? List.of(metadataDirectory) : List.of();
        StorageShard shard = new StorageShard(
                own,
                table,
                new ShardImage(
                        table,
                        new ShardSettings(effective),
                        changed -> {
                            cleaner.configure(effective.cleaner(changed));
                            expiry.configure(effective.producerExpiryMillis(changed));
                            throttles.configure(effective.fetcher(changed));
                        },
                        share,
                        counts),
                new ShardDirectories(own, config.storage(), mine, alsoReported, cleaner, late, expiry),
                new FollowerSessions(table, own, task -> host.execute(loop, task), throttles.leading()));
        InternalTopicCoordinator.Place place = new InternalTopicCoordinator.Place(
                own,
                task -> host.execute(loop, task),
                table,
                share,
                coordinatorBytes(),
                host.heapBytes() / host.loops(),
                empty);
        GroupCoordinatorNode groups = new GroupCoordinatorNode(place, config.groups(), new GroupCodec(own.mutations()));
        TransactionCoordinatorNode transactions = new TransactionCoordinatorNode(
                place,
                config.transactions(),
                new NodeMarkerWriter(services.markers(), brokerLines(loop, image), task -> host.execute(loop, task)));
        host.register(new OwnerId<>(ReplicaShard.class, loop), shard, loop);
        host.register(new OwnerId<>(StorageShard.class, loop), shard, loop);
        host.register(new OwnerId<>(LoopImage.class, loop), image, loop);
        register(loop, groups, transactions);
        return new LoopParts(
                shard,
                groups,
                transactions,
                late,
                counts,
                instance(loop, own, doorHandlers(loop, own, services), image::get));
    }

    private BrokerLines brokerLines(int loop, LoopImage image) {
        int nodeId = config.node().nodeId();
        return new BrokerLines(host.peers(loop, nodeId), InterBroker.of(config.node()), nodeId, image::get);
    }

    private void register(int loop, GroupCoordinatorNode groups, TransactionCoordinatorNode transactions) {
        host.register(new OwnerId<>(GroupCoordinator.class, loop), groups, loop);
        host.register(new OwnerId<>(GroupCoordinatorNode.class, loop), groups, loop);
        host.register(new OwnerId<>(TransactionCoordinator.class, loop), transactions, loop);
        host.register(new OwnerId<>(TransactionCoordinatorNode.class, loop), transactions, loop);
    }

    /** Those of one loop, with what was found in them. */
    private List<ShardDirectory> directoriesOf(int loop, List<LogDirectories.Claimed> claimed) {
        List<ShardDirectory> mine = new ArrayList<>();
        for (int i = 0; i < config.storage().logDirs().size(); i++) {
            mine.add(directory(i, loop, loop));
        }
        for (LogDirectories.Claimed each : claimed) {
            if (each.id().shard(host.loops()) == loop) {
                mine.get(each.directory()).foundAtStart(each.found());
            }
        }
        for (int i = 0; i < mine.size(); i++) {
            keepers.get(i).begin(loop, mine.get(i).lines());
            Set<String> stale = directories.staleNames(i, claimed);
            if (!stale.isEmpty()) {
                keepers.get(i).hasStaleLines();
                stale.forEach(mine.get(i)::staleAtStart);
            }
        }
        return mine;
    }

    private PartitionTable partitions(
            Ports own,
            int loop,
            List<ShardDirectory> mine,
            TransactionVerifier verifier,
            ReplicationThrottles throttles,
            MetadataImage empty) {
        int nodeId = config.node().nodeId();
        ShardSettings settings = new ShardSettings(effective);
        PartitionRoles roles = new PartitionRoles(
                own, nodeId, settings, verifier, config.replication(), task -> host.execute(loop, task), empty);
        roles.listen(new ReplicaFetchers(new ReplicaFetcher.Setup(
                nodeId,
                config.fetcher(),
                own,
                host.peers(loop, nodeId),
                InterBroker.of(config.node()),
                roles::image,
                throttles.following(),
                refused -> own.mailboxes().tell(SUSPICIONS, each -> each.suspect(refused)))));
        return new PartitionTable(own, nodeId, mine, settings, roles);
    }

    private long coordinatorBytes() {
        return Math.max(LEAST_COORDINATOR_BYTES, host.heapBytes() / COORDINATOR_HEAP_PART / host.loops());
    }

    private LogCleaner cleaner(Ports own, PartitionTable table, int loop) {
        long heapShare = Math.max(1, host.heapBytes() / CLEANER_HEAP_PART / host.loops());
        CleanerTools tools = new CleanerTools(own.clock(), config.cleaner(), heapShare, host.loops());
        return new LogCleaner(own, table::logs, tools, loop);
    }

    private ShardDirectory directory(int index, int reporter, int loop) {
        StorageConfig storage = config.storage();
        LogLimits limits = new LogLimits(
                reporter < 0 ? METADATA_OPEN_FILES : openFiles.ofOwner(),
                host.pageCacheBytes() / (host.loops() * (long) storage.logDirs().size()),
                // The reserve is there for the metadata, among others (rule S10).
                reporter < 0 ? 0 : storage.reserveBytes(),
                LogLimits.DEFAULT.queuedBytes());
        ShardDirectory.Place place = new ShardDirectory.Place(
                index,
                reporter,
                storage.logDirs().get(index),
                directories.directoryId(index),
                (storage.scrubBytesPerSecond() + host.loops() - 1) / host.loops());
        ShardDirectory directory =
                new ShardDirectory(place, host.ports(loop), host.disk(index, loop), limits, this::directoryOffline);
        if (directories.broken(index) != null) {
            directory.beginOffline(directories.broken(index));
        }
        return directory;
    }

    /** Any loop. Rule S3: without its metadata, or without any directory left, the node cannot go on. */
    private void directoryOffline(ShardDirectory directory, Failure why) {
        int working = config.storage().logDirs().size() - 1;
        if (directory.index() == metadataDirectory.index() || working == 0) {
            host.halt(LogDirectories.offline(directory.path(), why));
            return;
        }
        for (int loop = 0; loop < loops.size(); loop++) {
            StorageShard shard = loops.get(loop).shard;
            InternalTopicCoordinator<?, ?> groups = loops.get(loop).groups;
            InternalTopicCoordinator<?, ?> transactions = loops.get(loop).transactions;
            host.execute(loop, () -> {
                shard.directoryOffline(directory.index(), why);
                groups.directoryOffline();
                transactions.directoryOffline();
            });
        }
        host.execute(0, () -> membership.offline(directories.directoryId(directory.index())));
    }

    /** Before this node is ready: it can become so only by a quorum, and that by its nodes answering one another. */
    private void serveControllers(ControllerNode own) {
        if (config.node().controllerListeners().isEmpty()) {
            return;
        }
        QuorumService quorum =
                new QuorumService(ports.mailboxes(), config.quorum().timeouts().request());
        List<ApiHandler> handlers = new ArrayList<>(QuorumHandlers.ofController(quorum, own::look));
        handlers.addAll(ControllerHandlers.of(
                new ControllerService(ports.mailboxes(), config.requests().requestTimeoutMillis())));
        handlers.add(new ApiVersionsHandler(config.node().nodeId()));
        host.serveControllers(instance(0, ports, new HandlerTable(handlers), own::image));
    }

    private HandlerTable doorHandlers(int loop, Ports own, DoorHandlers.Services services) {
        DoorHandlers.Place place = new DoorHandlers.Place(loop, host.loops(), host.loggers());
        return new HandlerTable(DoorHandlers.of(config, effective, own, services, place));
    }

    private Instance instance(int loop, Ports own, HandlerTable handlers, Supplier<MetadataImage> image) {
        NetworkConfig network = config.network();
        ConnectionLimits limits = new ConnectionLimits(
                network.maxRequestBytes(),
                network.maxInFlightPerConnection(),
                network.maxIdleMillis(),
                network.loginTimeoutMillis(),
                ConnectionLimits.DEFAULT_STALLED_FRAME_MILLIS);
        long bound = network.queuedMaxBytes() > 0 ? network.queuedMaxBytes() : host.heapBytes() / 4;
        long memory = Math.max(1, bound / host.loops());
        return new Instance(
                handlers, host.buffers(loop), new RequestMemory(memory), limits, own.clock(), own.metrics(), image);
    }

    /** What the connections of {@code loop} share; after start. Used on that loop only. */
    public Instance instance(int loop) {
        return loops.get(loop).instance;
    }

    /** Before a clean stop, with the doors open: others take over what this broker leads, where there are others. It ends in bounded time, and never fails. */
    public void leave(Callback<Void> done) {
        if (membership == null) {
            done.succeed(null);
        } else {
            membership.leave(done);
        }
    }

    /** A clean stop; the doors are closed. Fails when something could not be made durable: then the directories are not marked clean. */
    public void stop(Callback<Void> done) {
        stopCoordinators(
                TransactionCoordinatorNode.class,
                (stopped, failure) -> stopCoordinators(
                        GroupCoordinatorNode.class, (none, why) -> stopShards(failure != null ? failure : why, done)));
    }

    private <O extends InternalTopicCoordinator<?, ?>> void stopCoordinators(Class<O> type, Callback<Void> done) {
        Countdown rest = new Countdown(loops.size(), done);
        for (int loop = 0; loop < loops.size(); loop++) {
            ports.mailboxes()
                    .<O, Void>call(
                            new OwnerId<>(type, loop),
                            (coordinator, reply) -> coordinator.stop(reply),
                            STOP_TIMEOUT_MILLIS,
                            (stopped, failure) -> rest.one(failure));
        }
    }

    private void stopShards(Failure coordinatorFailure, Callback<Void> done) {
        Countdown shards = new Countdown(
                loops.size(),
                (stopped, failure) -> stopController(coordinatorFailure != null ? coordinatorFailure : failure, done));
        for (int loop = 0; loop < loops.size(); loop++) {
            ports.mailboxes()
                    .<StorageShard, Void>call(
                            new OwnerId<>(StorageShard.class, loop),
                            (shard, reply) -> shard.stop(reply),
                            STOP_TIMEOUT_MILLIS,
                            (stopped, failure) -> shards.one(failure));
        }
    }

    private void stopController(Failure shardFailure, Callback<Void> done) {
        if (controller == null) {
            done.fail(FailureCode.SHUTTING_DOWN, "the node had not started");
            return;
        }
        client.close();
        controller.stop((stopped, failure) -> metadataDirectory.report((reported, unreported) -> {
            Failure first = shardFailure != null ? shardFailure : failure != null ? failure : unreported;
            if (first != null) {
                done.fail(first);
            } else {
                directories.markClean(membership == null ? -1 : membership.epoch(), done);
            }
        }));
    }
}
