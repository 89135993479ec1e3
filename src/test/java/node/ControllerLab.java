package node;

import common.Callback;
import common.Failure;
import config.BrokerConfig;
import controller.BootReport;
import controller.Joining;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import raft.ReplicaKey;
import sim.SimHost;
import storage.DiskExecutor.Lane;
import storage.LogContext;
import storage.LogDirectory;
import storage.LogDirectory.Checkpoint;
import storage.LogDirectory.FoundPartition;
import storage.LogDirectory.Opened;
import storage.LogHost;
import storage.LogLimits;
import storage.LogStart;
import storage.PartitionLog;

/** A controller on a simulated disk with what a node does around it: directory, checkpoints, subscribers of its images. */
final class ControllerLab implements LogHost, MetadataPublisher {
    static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";
    private static final long DIRECTORY = 0x4001;
    private static final LogLimits LIMITS = new LogLimits(8, 1 << 20, 0, 1 << 24);

    final SimHost host;
    final BrokerConfig config;
    final List<MetadataImage> published = new ArrayList<>();
    ControllerNode controller;
    /** How often the disk was replaced. */
    int disk;

    Opened opened;
    Failure offline;

    /** Held back publications; null: they are applied at once. */
    List<Callback<Void>> held;

    /** Its place in a quorum; by default it is alone. */
    Function<ReplicaKey, QuorumPlace> place;

    private Uuid incarnation;
    private long startToPersist;
    private long cutTo = Long.MAX_VALUE;
    private PartitionLog asking;

    ControllerLab(SimHost host, BrokerConfig config) {
        this.host = host;
        this.config = config;
        QuorumLines nowhere = new QuorumLines(to -> null, "CONTROLLER", 1);
        this.place = self -> QuorumPlace.of(config, self, List.of(), nowhere);
    }

    static BrokerConfig config(String... keysAndValues) {
        Map<String, String> properties = new TreeMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            properties.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return BrokerConfig.parse(properties).config();
    }

    /** The lab of the next process. */
    ControllerLab on(SimHost next) {
        ControllerLab lab = new ControllerLab(next, config);
        lab.place = place;
        return lab;
    }

    ControllerLab open() {
        openReplica();
        join();
        return this;
    }

    /** Without a broker in the same process. */
    void openReplica() {
        controller = host.await(done -> ControllerNode.open(setup(), done));
        host.<Void>await(controller::publish);
    }

    /** What the broker of this process does. */
    private void join() {
        BrokerRegistrationRequestData request = Joining.registration(
                1, CLUSTER, incarnation, List.of(Uuid.fromString(opened.directoryId())), opened.cleanEpoch());
        BrokerRegistrationResponseData registered = host.await(done ->
                controller.registerBroker(request, new BootReport(host.disk().boot(), false), done));
        if (registered.errorCode() != 0) {
            throw new AssertionError(registered.toString());
        }
        host.<BrokerHeartbeatResponseData>await(
                done -> controller.heartbeat(Joining.heartbeat(image().broker(1), image().version()), done));
    }

    Failure openRefused() {
        return host.<ControllerNode>awaitFailure(done -> ControllerNode.open(setup(), done));
    }

    private ControllerNode.Setup setup() {
        int id = config.node().nodeId();
        LogDirectory.OpenRequest request = new LogDirectory.OpenRequest(
                id,
                null,
                CLUSTER,
                new Uuid(DIRECTORY + id, id + 1_000L * disk).toString(),
                host.ports().mutations());
        incarnation =
                new Uuid(host.ports().random().nextLong(), host.ports().random().nextLong());
        opened = host.await(done -> host.executor().run(Lane.BLOCKING, LogDirectory.open(request), done));
        LogStart start = LogStart.NEW;
        for (FoundPartition each : opened.partitions()) {
            if (each.identity().directory().equals(LogDirectories.METADATA_DIRECTORY)) {
                start = each.start();
            }
        }
        startToPersist = start.logStartOffset();
        return new ControllerNode.Setup(
                host.ports(),
                new LogContext(host.ports(), host.executor(), this, LIMITS),
                start,
                host.executor(),
                config,
                opened.clusterId(),
                incarnation,
                0,
                this,
                this::lower,
                place.apply(key()));
    }

    /** As the quorum knows it. */
    ReplicaKey key() {
        Uuid directory = Uuid.fromString(opened.directoryId());
        return new ReplicaKey(
                config.node().nodeId(), directory.getMostSignificantBits(), directory.getLeastSignificantBits());
    }

    private void lower(PartitionLog log, long offset, Callback<Void> done) {
        asking = log;
        cutTo = offset;
        checkpoint(done);
    }

    /** A clean stop. */
    void stop() {
        host.<Void>await(controller::stop);
        asking = controller.log();
        host.<Void>await(this::checkpoint);
        long epoch = image().broker(1) == null ? -1 : image().broker(1).epoch();
        host.<Void>await(done -> host.executor().run(Lane.BLOCKING, LogDirectory.markClean(epoch), done));
    }

    MetadataImage image() {
        return controller.image();
    }

    @Override
    public void directoryOffline(Failure why) {
        offline = why;
    }

    @Override
    public void persistLogStart(PartitionLog log, long newStart, Callback<Void> persisted) {
        startToPersist = Math.max(startToPersist, newStart);
        asking = log;
        checkpoint(persisted);
    }

    private void checkpoint(Callback<Void> done) {
        long start = Math.max(startToPersist, asking.logStartOffset());
        Checkpoint line = new Checkpoint(
                "__cluster_metadata", 0, Math.min(cutTo, asking.recoveryPoint()), start, asking.highWatermark());
        host.executor().run(Lane.BLOCKING, LogDirectory.writeCheckpoints(List.of(line)), done);
    }

    @Override
    public void publish(MetadataImage image, Callback<Void> applied) {
        published.add(image);
        if (held == null) {
            applied.succeed(null);
        } else {
            held.add(applied);
        }
    }
}
