package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mutations;
import common.OwnerId;
import common.PartitionId;
import common.Ports;
import config.BrokerConfig;
import controller.BootReport;
import controller.Controller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import metadata.EffectiveConfigs;
import metadata.MetadataImage;
import node.FollowedPartitions.Followed;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import replication.FollowerReplica.Fetched;
import replication.FollowerReplica.Wish;
import replication.LateTransactions;
import replication.ReplicaShard.FetchId;
import replication.ReplicaShard.Read;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;
import replication.ReplicaShard.Reader;
import replication.TransactionVerifier;
import sim.SimHost;
import storage.CleanerTools;
import storage.DiskExecutor.Lane;
import storage.LogCleaner;
import storage.LogDirectory;
import storage.LogDirectory.FoundPartition;
import storage.LogLimits;
import storage.PartitionLog;
import storage.ProducerExpiry;
import storage.ReadBound;
import storage.ReadResult;

/** A broker with one real storage shard over its processes; what fetches for it, and the way to the controller, are plain. */
final class ShardNode implements FollowedPartitions.Listener {
    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";
    private static final long POLL_NANOS = 20_000_000L;
    private static final long PATIENCE_NANOS = 800_000_000L;
    private static final int FETCH_BYTES = 3_000;

    final int id;
    private final ShardWorld world;
    private final BrokerConfig config;
    private final Mutations mutations;
    SimHost host;
    StorageShard shard;
    PartitionTable table;
    long brokerEpoch = -1;
    private Uuid directoryId;
    private Uuid incarnation;
    private int boot;
    private int disks;
    private MetadataImage applied;
    private SimHost next;
    private long fetches;
    private final Map<PartitionId, Follow> following = new LinkedHashMap<>();

    /** A partition and the fetch that is under way for it. */
    private static final class Follow {
        final Followed followed;
        long fetching;
        boolean underWay;

        Follow(Followed followed) {
            this.followed = followed;
        }
    }

    ShardNode(int id, ShardWorld world, SimHost host, BrokerConfig config, Mutations mutations) {
        this.id = id;
        this.world = world;
        this.host = host;
        this.config = config;
        this.mutations = mutations;
    }

    boolean alive() {
        return host.life().alive();
    }

    boolean serves() {
        return alive() && applied != null;
    }

    // ---- processes

    void end(boolean power) {
        boot += power ? 1 : 0;
        shard = null;
        table = null;
        brokerEpoch = -1;
        applied = null;
        following.clear();
        host.life().end();
        next = power ? host.powerCut() : host.kill();
    }

    void start() {
        if (next != null) {
            host = next;
            next = null;
        }
        host.mutations(mutations);
        incarnation = new Uuid(id + 1, host.random().nextLong());
        Uuid fresh = new Uuid(77L + disks, id + 1);
        LogDirectory.OpenRequest request = new LogDirectory.OpenRequest(id, null, CLUSTER, fresh.toString(), mutations);
        host.executor().run(Lane.BLOCKING, LogDirectory.open(request), (opened, failure) -> {
            if (failure != null) {
                throw new AssertionError(failure);
            }
            directoryId = Uuid.fromString(opened.directoryId());
            assemble(opened);
            register();
        });
    }

    /** Its next process finds an empty disk. */
    void wipe(SimHost fresh) {
        disks++;
        next = fresh;
    }

    Uuid directoryId() {
        return directoryId;
    }

    /** Between two processes. */
    void rot(String file, long position, int bit) {
        next.disk().rot(file, position, bit);
    }

    private void assemble(LogDirectory.Opened opened) {
        Ports ports = host.ports(new OwnerId<>(StorageShard.class, 0));
        CheckpointKeeper keeper = new CheckpointKeeper(host.executor());
        host.mailboxes().register(new OwnerId<>(CheckpointKeeper.class, 0), keeper);
        host.mailboxes().register(new OwnerId<>(Controller.class, 0), controller());
        ShardDirectory directory = new ShardDirectory(
                new ShardDirectory.Place(0, 0, "disk", directoryId, 100_000),
                ports,
                host.executor(),
                LogLimits.DEFAULT,
                (offline, why) -> {
                    throw new AssertionError(why.message());
                });
        for (FoundPartition each : opened.partitions()) {
            directory.foundAtStart(each);
        }
        keeper.begin(0, directory.lines());
        MetadataImage empty = MetadataImage.empty(CLUSTER);
        ShardSettings settings = new ShardSettings(new EffectiveConfigs(config));
        PartitionRoles roles = new PartitionRoles(
                ports,
                id,
                settings,
                TransactionVerifier.NONE,
                config.replication(),
                task -> world.after(host.life(), 1_000, task),
                empty);
        roles.listen(this);
        table = new PartitionTable(ports, id, List.of(directory), settings, roles);
        ShardImage image =
                new ShardImage(table, settings, changed -> {}, new ShardImage.Share(id, 0, 1), new ReplicaCounts(id));
        PartitionTable of = table;
        LogCleaner cleaner =
                new LogCleaner(ports, of::logs, new CleanerTools(ports.clock(), config.cleaner(), 1 << 20, 1), 0);
        shard = new StorageShard(
                ports,
                table,
                image,
                new ShardDirectories(
                        ports,
                        config.storage(),
                        List.of(directory),
                        List.of(),
                        cleaner,
                        new LateTransactions(1_000_000),
                        new ProducerExpiry(ports, of::logs, 86_400_000, 600_000)),
                new FollowerSessions(
                        table,
                        ports,
                        task -> world.after(host.life(), 1_000, task),
                        new ReplicationThrottles(id, config.fetcher(), 1, ports.clock(), roles::image).leading()));
    }

    // ---- the controller

    /** What the shard calls: what concerns its replicas, which goes over the network. */
    private Controller controller() {
        return (Controller) Proxy.newProxyInstance(
                Controller.class.getClassLoader(), new Class<?>[] {Controller.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "alterPartition" -> {
                            AlterPartitionRequestData request = (AlterPartitionRequestData) arguments[0];
                            call(to -> to.alter(request), arguments[1]);
                        }
                        case "assignReplicasToDirs" -> {
                            AssignReplicasToDirsRequestData request = (AssignReplicasToDirsRequestData) arguments[0];
                            call(to -> to.assign(request), arguments[1]);
                        }
                        case "heartbeat" -> {
                            BrokerHeartbeatRequestData request = (BrokerHeartbeatRequestData) arguments[0];
                            call(to -> to.heartbeat(request, world.now()), arguments[1]);
                        }
                        default -> throw new UnsupportedOperationException(method.getName());
                    }
                    return null;
                });
    }

    @SuppressWarnings("unchecked")
    private <T> void call(Function<ShardController, T> request, Object callback) {
        Callback<T> done = (Callback<T>) callback;
        SimHost process = host;
        boolean[] told = new boolean[1];
        world.toController(id, controller -> {
            T answer = request.apply(controller);
            world.fromController(this, process.life(), () -> {
                if (!told[0]) {
                    told[0] = true;
                    done.succeed(answer);
                }
            });
        });
        world.after(process.life(), PATIENCE_NANOS, () -> {
            if (!told[0]) {
                told[0] = true;
                done.fail(FailureCode.NOT_LEADER, "the controller does not answer");
            }
        });
    }

    private void register() {
        if (brokerEpoch >= 0) {
            return;
        }
        SimHost process = host;
        world.after(process.life(), 300_000_000L, this::register);
        BrokerRegistrationRequestData request = new BrokerRegistrationRequestData()
                .setBrokerId(id)
                .setClusterId(CLUSTER)
                .setIncarnationId(incarnation)
                .setLogDirs(List.of(directoryId))
                .setPreviousBrokerEpoch(-1);
        BootReport report = new BootReport("boot " + boot, world.durable());
        world.toController(id, controller -> {
            long epoch = controller.register(request, report, world.now());
            if (epoch >= 0) {
                world.fromController(this, process.life(), () -> {
                    if (brokerEpoch < 0) {
                        brokerEpoch = epoch;
                        heartbeat();
                        poll();
                    }
                });
            }
        });
    }

    private void heartbeat() {
        BrokerHeartbeatRequestData beat = new BrokerHeartbeatRequestData()
                .setBrokerId(id)
                .setBrokerEpoch(brokerEpoch)
                .setCurrentMetadataOffset(applied == null ? -1 : applied.version() - 1);
        world.toController(id, controller -> controller.heartbeat(beat, world.now()));
        world.after(host.life(), 300_000_000L, this::heartbeat);
    }

    /** Rule C8: only what is newer, and what knows of this process. */
    void apply(MetadataImage image) {
        boolean older = applied != null && image.version() <= applied.version();
        if (brokerEpoch < 0 || image.version() <= brokerEpoch || older) {
            return;
        }
        boolean first = applied == null;
        applied = image;
        StorageShard of = shard;
        of.applyImage(image, (none, failure) -> {
            if (failure != null) {
                throw new AssertionError(failure);
            }
            if (first) {
                of.startDuties();
            }
        });
    }

    // ---- fetching

    @Override
    public void began(Followed followed) {
        Follow former = following.put(followed.id(), new Follow(followed));
        world.require(former == null, "one role at a time", followed.id() + " on " + id);
    }

    @Override
    public void ended(Followed followed) {
        Follow former = following.remove(followed.id());
        world.require(
                former != null && former.followed == followed, "what ends had begun", followed.id() + " on " + id);
    }

    private void poll() {
        world.after(host.life(), POLL_NANOS, this::poll);
        List.copyOf(following.values()).forEach(this::poll);
    }

    private void poll(Follow each) {
        if (each.underWay || following.get(each.followed.id()) != each) {
            return;
        }
        if (each.followed.mustFlush()) {
            each.underWay = true;
            each.followed.flush((none, failure) -> each.underWay = false);
            return;
        }
        Wish wish = each.followed.wish();
        if (wish == null) {
            return;
        }
        each.underWay = true;
        long number = ++fetches;
        each.fetching = number;
        long epoch = brokerEpoch;
        SimHost process = host;
        world.send(
                id,
                each.followed.leader(),
                to -> to.answer(
                        id,
                        epoch,
                        each.followed.id(),
                        wish,
                        (answer, restart) -> world.send(to.id, id, back -> {
                            if (back.host == process) {
                                Callback<Void> done = (none, failure) -> fetched(each, number);
                                if (restart >= 0) {
                                    world.count("restarts");
                                    each.followed.restartAt(wish, restart, done);
                                } else {
                                    each.followed.take(wish, answer, done);
                                }
                            }
                        })));
        world.after(host.life(), PATIENCE_NANOS, () -> fetched(each, number));
    }

    private static void fetched(Follow each, long number) {
        if (each.fetching == number) {
            each.underWay = false;
        }
    }

    private interface Answer {
        /** @param restart -1, or where the leader's log starts, which has nothing at the wish */
        void give(Fetched answer, long restart);
    }

    private void answer(int from, long epoch, PartitionId partition, Wish wish, Answer reply) {
        ReadPartition ask = new ReadPartition(
                partition,
                wish.leaderEpoch(),
                wish.fetchOffset(),
                wish.lastEpoch(),
                wish.logStartOffset(),
                FETCH_BYTES);
        Read read = new Read(List.of(ask), FETCH_BYTES, ReadBound.LOG_END, new Reader(from, epoch));
        shard.fetch(new FetchId(from, ++fetches), read, 0, 0, (outcomes, none) -> {
            ReadOutcome outcome = outcomes.get(0);
            Failure failure = outcome.failure();
            if (failure != null && failure.code() == FailureCode.OFFSET_OUT_OF_RANGE && outcome.result() != null) {
                reply.give(null, outcome.result().logStartOffset());
            } else if (failure != null) {
                world.count("fetch." + failure.code());
            } else if (outcome.diverging() != null) {
                world.count("diverging");
                reply.give(new Fetched(ByteBuffer.allocate(0), outcome.diverging(), -1, -1), -1);
            } else {
                ReadResult result = outcome.result();
                reply.give(new Fetched(bytes(result), null, result.highWatermark(), result.logStartOffset()), -1);
            }
        });
    }

    static ByteBuffer bytes(ReadResult result) {
        if (result.range() == null) {
            return ByteBuffer.allocate(0);
        }
        ByteBuffer all = ByteBuffer.allocate(result.range().length());
        try {
            result.range().file().read(all, result.range().position());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        result.range().release();
        return all.flip();
    }

    /** Null where this node has no such replica, or it is not open. */
    PartitionLog log(PartitionId partition) {
        if (table == null) {
            return null;
        }
        for (OpenPartition each : table.all()) {
            if (each.id().equals(partition)) {
                return each.log();
            }
        }
        return null;
    }
}
