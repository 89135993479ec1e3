package node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import common.Callback;
import common.FailureCode;
import common.OwnerId;
import common.PartitionId;
import common.Ports;
import config.BrokerConfig;
import controller.Controller;
import highwater.metadata.MetadataRecord;
import highwater.metadata.PartitionRecord;
import highwater.metadata.RegisterBrokerRecord;
import highwater.metadata.TopicRecord;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import metadata.EffectiveConfigs;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;
import protocol.ApiVersionsHandler;
import protocol.BufferPool;
import protocol.ConnectionLimits;
import protocol.FetchHandler;
import protocol.HandlerTable;
import protocol.Instance;
import protocol.PeerConnections;
import protocol.PeerDialer;
import protocol.RequestMemory;
import replication.LateTransactions;
import replication.LedLogs;
import replication.ReplicaShard;
import replication.TransactionVerifier;
import services.FetchService;
import services.FetchSessions;
import sim.SimHost;
import storage.CleanerTools;
import storage.DiskExecutor.Lane;
import storage.LogCleaner;
import storage.LogDirectory;
import storage.LogLimits;
import storage.PartitionLog;
import storage.ProducerExpiry;
import storage.ReadBound;

/** One process with a real storage shard, its fetchers, and the Fetch door by which others follow it. The metadata is told by the test. */
public final class FetchingNode {
    public static final Uuid TOPIC = new Uuid(8, 9);
    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";

    private final int id;
    private final SimHost host;
    private final BrokerConfig config;
    private PartitionTable table;
    private StorageShard shard;
    private Instance instance;
    private MetadataImage image = MetadataImage.empty(CLUSTER);
    private int suspicions;

    public FetchingNode(int id, SimHost host, PeerDialer dialer, BufferPool buffers, Map<String, String> settings) {
        this.id = id;
        this.host = host;
        this.config = BrokerConfig.parse(settings).config();
        LogDirectory.OpenRequest request =
                new LogDirectory.OpenRequest(id, null, CLUSTER, directory(id).toString(), common.Mutations.NONE);
        host.executor().run(Lane.BLOCKING, LogDirectory.open(request), (opened, failure) -> {
            if (failure != null) {
                throw new AssertionError(failure);
            }
            assemble(opened, dialer, buffers);
        });
    }

    private static Uuid directory(int node) {
        return new Uuid(77, node + 1);
    }

    private void assemble(LogDirectory.Opened opened, PeerDialer dialer, BufferPool buffers) {
        Ports ports = host.ports(new OwnerId<>(StorageShard.class, 0));
        CheckpointKeeper keeper = new CheckpointKeeper(host.executor());
        host.mailboxes().register(new OwnerId<>(CheckpointKeeper.class, 0), keeper);
        host.mailboxes().register(new OwnerId<>(Controller.class, 0), busyController());
        ShardDirectory directory = new ShardDirectory(
                new ShardDirectory.Place(0, 0, "disk", Uuid.fromString(opened.directoryId()), 0),
                ports,
                host.executor(),
                LogLimits.DEFAULT,
                (offline, why) -> {
                    throw new AssertionError(why.message());
                });
        opened.partitions().forEach(directory::foundAtStart);
        keeper.begin(0, directory.lines());
        ShardSettings shardSettings = new ShardSettings(new EffectiveConfigs(config));
        PartitionRoles roles = new PartitionRoles(
                ports, id, shardSettings, TransactionVerifier.NONE, config.replication(), this::soon, image);
        ReplicationThrottles throttles = new ReplicationThrottles(id, config.fetcher(), 1, ports.clock(), roles::image);
        roles.listen(new ReplicaFetchers(new ReplicaFetcher.Setup(
                id,
                config.fetcher(),
                ports,
                new PeerConnections(dialer, buffers, ports.timers(), "node-" + id),
                new InterBroker("PLAINTEXT"),
                roles::image,
                throttles.following(),
                refused -> suspicions++)));
        table = new PartitionTable(ports, id, List.of(directory), shardSettings, roles);
        LogCleaner cleaner =
                new LogCleaner(ports, table::logs, new CleanerTools(ports.clock(), config.cleaner(), 1 << 20, 1), 0);
        shard = new StorageShard(
                ports,
                table,
                new ShardImage(
                        table, shardSettings, changed -> {}, new ShardImage.Share(id, 0, 1), new ReplicaCounts(id)),
                new ShardDirectories(
                        ports,
                        config.storage(),
                        List.of(directory),
                        List.of(),
                        cleaner,
                        new LateTransactions(1_000_000),
                        new ProducerExpiry(ports, table::logs, 86_400_000, 600_000)),
                new FollowerSessions(table, ports, this::soon, throttles.leading()));
        host.mailboxes().register(new OwnerId<ReplicaShard>(ReplicaShard.class, 0), shard);
        instance = new Instance(
                new HandlerTable(List.of(
                        new FetchHandler(
                                new FetchService(ports.mailboxes(), 1, 0),
                                new FetchSessions(ports.clock(), ports.random(), ports.metrics(), 10),
                                50 << 20,
                                true),
                        new ApiVersionsHandler(id))),
                buffers,
                new RequestMemory(1 << 24),
                new ConnectionLimits(1 << 20, 100, 600_000, 600_000, 600_000),
                ports.clock(),
                ports.metrics(),
                () -> image);
    }

    private void soon(Runnable task) {
        host.ports().timers().after(0, task);
    }

    /** The ISR never changes: the controller is busy. */
    private static Controller busyController() {
        return (Controller) Proxy.newProxyInstance(
                Controller.class.getClassLoader(), new Class<?>[] {Controller.class}, (proxy, method, arguments) -> {
                    ((Callback<?>) arguments[1]).fail(FailureCode.TIMED_OUT, "busy");
                    return null;
                });
    }

    public boolean ready() {
        return instance != null;
    }

    public Instance instance() {
        return instance;
    }

    public int suspicions() {
        return suspicions;
    }

    public void apply(MetadataImage next) {
        image = next;
        shard.applyImage(next, (none, failure) -> {
            if (failure != null) {
                throw new AssertionError(failure);
            }
        });
    }

    /** Null when it is not open. */
    public PartitionLog log(int partition) {
        for (OpenPartition each : table.all()) {
            if (each.id().equals(new PartitionId(TOPIC, partition))) {
                return each.log();
            }
        }
        return null;
    }

    /** acks=all; {@code done} gets the offset, or -1 where it is not known to be committed. */
    public void produce(int partition, ByteBuffer batch, Callback<Long> done) {
        ReplicaShard.Produce request = new ReplicaShard.Produce(
                List.of(new ReplicaShard.ProducePartition(new PartitionId(TOPIC, partition), batch)),
                null,
                (short) -1,
                5_000,
                (short) 12,
                new common.Lease() {
                    @Override
                    public void retain() {}

                    @Override
                    public void release() {}
                });
        shard.produce(request, (outcomes, failure) -> {
            boolean well = outcomes.get(0).failure() == null;
            done.succeed(well ? outcomes.get(0).value().append().baseOffset() : -1L);
        });
    }

    /** @param done gets the first value, "sent to" whom, or what failed */
    public void consume(int partition, String rack, long offset, long waitMillis, Consumer<String> done) {
        ReplicaShard.ReadPartition wish =
                new ReplicaShard.ReadPartition(new PartitionId(TOPIC, partition), -1, offset, -1, 0, 1 << 20);
        ReplicaShard.Reader reader =
                rack == null ? ReplicaShard.Reader.CONSUMER : new ReplicaShard.Reader(-1, -1, rack);
        shard.fetch(
                new ReplicaShard.FetchId(9, consumed++),
                new ReplicaShard.Read(List.of(wish), 1 << 20, ReadBound.HIGH_WATERMARK, reader),
                1,
                waitMillis,
                (outcomes, none) -> {
                    ReplicaShard.ReadOutcome outcome = outcomes.get(0);
                    if (outcome.failure() != null) {
                        done.accept(outcome.failure().code().toString());
                    } else if (outcome.nearer() >= 0) {
                        done.accept("sent to " + outcome.nearer());
                    } else {
                        ByteBuffer bytes = LedLogs.bytes(outcome.result());
                        StringBuilder values = new StringBuilder();
                        MemoryRecords.readableRecords(bytes)
                                .records()
                                .forEach(each -> values.append(UTF_8.decode(each.value())));
                        done.accept(values.toString());
                    }
                });
    }

    private long consumed;

    // ---- metadata

    /** Two nodes with partitions that both hold, in sync; the leader of each is told by {@link #leader}. */
    public static MetadataImage cluster(int partitions) {
        MetadataImage image = MetadataImage.empty(CLUSTER);
        image = with(
                image,
                MetadataRecord.newBuilder()
                        .setTopic(TopicRecord.newBuilder().setName("orders").setTopicId(bytes(TOPIC)))
                        .build());
        for (int i = 0; i < partitions; i++) {
            image = leader(image, i, 1, 1);
        }
        return image;
    }

    public static MetadataImage leader(MetadataImage image, int partition, int node, int epoch) {
        return with(
                image,
                MetadataRecord.newBuilder()
                        .setPartition(PartitionRecord.newBuilder()
                                .setTopicId(bytes(TOPIC))
                                .setPartition(partition)
                                .addAllReplicas(List.of(1, 2))
                                .addAllIsr(List.of(1, 2))
                                .addAllDirectories(List.of(bytes(directory(1)), bytes(directory(2))))
                                .setLeader(node)
                                .setLeaderEpoch(epoch)
                                .setPartitionEpoch(epoch))
                        .build());
    }

    /** A new process of a node; its epoch is the version of the metadata. */
    public static MetadataImage registered(MetadataImage image, int node) {
        return with(
                image,
                MetadataRecord.newBuilder()
                        .setRegisterBroker(RegisterBrokerRecord.newBuilder()
                                .setBrokerId(node)
                                .setBrokerEpoch(image.version())
                                .setIncarnationId(bytes(new Uuid(5, image.version())))
                                .addLogDirs(bytes(directory(node)))
                                .setRack("rack " + node)
                                .addEndpoints(RegisterBrokerRecord.Endpoint.newBuilder()
                                        .setListener("PLAINTEXT")
                                        .setHost("n" + node)
                                        .setPort(9092)
                                        .setSecurityProtocol("PLAINTEXT")))
                        .build());
    }

    private static MetadataImage with(MetadataImage image, MetadataRecord record) {
        MetadataDelta delta = new MetadataDelta(image);
        delta.apply(record, image.version());
        return delta.image(image.version() + 1);
    }

    private static ByteString bytes(Uuid id) {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        return ByteString.copyFrom(bytes.flip());
    }
}
