package sim;

import common.Callback;
import common.Chance;
import common.Failure;
import common.Mailboxes;
import common.Mutations;
import common.OwnerId;
import common.PartitionId;
import config.BrokerConfig;
import controller.Controller;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import metadata.DirectoryId;
import metadata.MetadataImage;
import node.NodeAssembly;
import node.NodeImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import replication.ReplicaShard;
import replication.ReplicaShard.DeleteQuery;
import replication.ReplicaShard.OffsetQuery;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produce;
import replication.ReplicaShard.ProducePartition;
import replication.ReplicaShard.Produced;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;
import replication.ReplicaShard.Reader;
import services.FetchService;
import storage.ActiveProducer;
import storage.AppendResult;
import storage.ReadBound;

/** One whole node without a door, on simulated disks: requests go straight to its owners. For tests of how the parts of a node meet. */
final class NodeBench {
    static final int LOOPS = 2;
    private static final long LIMIT = 600_000 * SimScheduler.MILLI;

    final SimScheduler scheduler;
    final List<SimDisk> disks = new ArrayList<>();
    Failure halted;
    private final SimRandom random;
    private final SimClock clock;
    private final Map<String, String> properties;
    private int incarnation;
    private SimLife life;
    private boolean crashed;
    private Mutations mutations = Mutations.NONE;
    Mailboxes mailboxes;
    private NodeAssembly assembly;

    /** The node has crashed inside of a disk job, and nobody is there to answer. */
    static final class Crashed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    NodeBench(long seed, int directories, String... settings) {
        this.random = new SimRandom(seed);
        this.scheduler = new SimScheduler(random);
        this.clock = new SimClock(scheduler);
        this.properties = new LinkedHashMap<>();
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < directories; i++) {
            disks.add(new SimDisk(random.split("disk" + i)));
            names.append(i == 0 ? "" : ",").append("disk").append(i);
        }
        properties.put("log.dirs", names.toString());
        for (int i = 0; i < settings.length; i += 2) {
            properties.put(settings[i], settings[i + 1]);
        }
    }

    /** From the next start on. */
    void set(String key, String value) {
        properties.put(key, value);
    }

    /** Planted bugs of the next start. */
    NodeBench with(Mutations planted) {
        mutations = planted;
        return this;
    }

    NodeBench start() {
        Failure failure = tryStart();
        if (failure != null) {
            throw new AssertionError("does not start: " + failure);
        }
        return this;
    }

    /** Null when it serves. */
    Failure tryStart() {
        return outcome(this::beginStart).failure;
    }

    /** A start that nobody waits for. */
    void startUnheard(long millis) {
        beginStart((started, failure) -> {});
        runFor(millis);
    }

    private void beginStart(Callback<NodeAssembly.Started> done) {
        life = new SimLife("node " + ++incarnation);
        crashed = false;
        SimNodeHost.Parts parts = new SimNodeHost.Parts(
                scheduler,
                clock,
                disks,
                LOOPS,
                Chance.NEVER,
                mutations,
                SimNodeHost.Place.alone(new SimNetwork(scheduler, random.split("network"))),
                new SimMetrics(),
                new SimLag());
        SimNodeHost host =
                new SimNodeHost(parts, life, random.split("host" + incarnation), this::crash, why -> halted = why);
        mailboxes = host.ports(0).mailboxes();
        assembly = new NodeAssembly(host, BrokerConfig.parse(properties).config());
        host.execute(0, () -> assembly.start(done));
    }

    private void crash() {
        crashed = true;
        life.end();
    }

    Failure stop() {
        Failure failure = this.<Void>outcome(assembly::stop).failure;
        life.end();
        return failure;
    }

    void kill() {
        life.end();
        disks.forEach(SimDisk::kill);
    }

    void powerCut() {
        life.end();
        disks.forEach(SimDisk::powerCut);
    }

    void runFor(long millis) {
        scheduler.runFor(millis * SimScheduler.MILLI);
    }

    /** What came of a call. */
    record Result<T>(T value, Failure failure) {}

    <T> Result<T> outcome(Consumer<Callback<T>> call) {
        AtomicReference<Result<T>> result = new AtomicReference<>();
        call.accept((value, failure) -> result.set(new Result<>(value, failure)));
        if (!scheduler.runUntil(() -> result.get() != null || crashed, scheduler.now() + LIMIT)) {
            throw new AssertionError("no answer");
        }
        if (result.get() == null) {
            throw new Crashed();
        }
        return result.get();
    }

    <O, T> Result<T> ask(OwnerId<O> owner, common.OwnerCall<O, T> call) {
        return outcome(done -> mailboxes.call(owner, call, 300_000, done));
    }

    CreateTopicsResponseData create(int partitions, List<String> names, String... settings) {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(30_000);
        for (String name : names) {
            CreatableTopic topic = new CreatableTopic()
                    .setName(name)
                    .setNumPartitions(partitions)
                    .setReplicationFactor((short) 1);
            for (int i = 0; i < settings.length; i += 2) {
                topic.configs()
                        .add(new CreatableTopicConfig().setName(settings[i]).setValue(settings[i + 1]));
            }
            request.topics().add(topic);
        }
        Result<CreateTopicsResponseData> created =
                ask(new OwnerId<>(Controller.class, 0), (controller, reply) -> controller.createTopics(request, reply));
        if (created.failure != null) {
            throw new AssertionError(created.failure.toString());
        }
        return created.value;
    }

    Uuid create(String name, int partitions, String... settings) {
        CreateTopicsResponseData created = create(partitions, List.of(name), settings);
        return created.topics().iterator().next().topicId();
    }

    Errors delete(String name) {
        DeleteTopicsRequestData request = new DeleteTopicsRequestData()
                .setTimeoutMs(30_000)
                .setTopics(List.of(new DeleteTopicState().setName(name)));
        Result<DeleteTopicsResponseData> deleted =
                ask(new OwnerId<>(Controller.class, 0), (controller, reply) -> controller.deleteTopics(request, reply));
        return deleted.failure != null
                ? services.ErrorMapping.of(deleted.failure)
                : Errors.forCode(deleted.value.responses().iterator().next().errorCode());
    }

    /** Deletes and makes a topic so many times, all asked for at once. */
    Uuid recreateAtOnce(String name, int times) {
        int[] open = {2 * times};
        Uuid[] last = new Uuid[1];
        // The first request is written alone; those behind it share a batch and so an image.
        CreateTopicsRequestData first = new CreateTopicsRequestData().setTimeoutMs(30_000);
        first.topics()
                .add(new CreatableTopic().setName("first").setNumPartitions(1).setReplicationFactor((short) 1));
        mailboxes.<Controller, CreateTopicsResponseData>call(
                new OwnerId<>(Controller.class, 0),
                (controller, reply) -> controller.createTopics(first, reply),
                300_000,
                (answer, failure) -> {});
        for (int i = 0; i < times; i++) {
            DeleteTopicsRequestData delete = new DeleteTopicsRequestData()
                    .setTimeoutMs(30_000)
                    .setTopics(List.of(new DeleteTopicState().setName(name)));
            mailboxes.<Controller, DeleteTopicsResponseData>call(
                    new OwnerId<>(Controller.class, 0),
                    (controller, reply) -> controller.deleteTopics(delete, reply),
                    300_000,
                    (answer, failure) -> open[0]--);
            CreateTopicsRequestData create = new CreateTopicsRequestData().setTimeoutMs(30_000);
            create.topics()
                    .add(new CreatableTopic().setName(name).setNumPartitions(1).setReplicationFactor((short) 1));
            mailboxes.<Controller, CreateTopicsResponseData>call(
                    new OwnerId<>(Controller.class, 0),
                    (controller, reply) -> controller.createTopics(create, reply),
                    300_000,
                    (answer, failure) -> {
                        open[0]--;
                        last[0] = answer.topics().iterator().next().topicId();
                    });
        }
        if (!scheduler.runUntil(() -> open[0] == 0, scheduler.now() + LIMIT)) {
            throw new AssertionError("no answer");
        }
        return last[0];
    }

    /** As metadata from before directories were in it: nobody has said where the partitions lie. */
    void unassign(Uuid topic, int partitions) {
        AssignReplicasToDirsRequestData.TopicData told =
                new AssignReplicasToDirsRequestData.TopicData().setTopicId(topic);
        for (int i = 0; i < partitions; i++) {
            told.partitions().add(new AssignReplicasToDirsRequestData.PartitionData().setPartitionIndex(i));
        }
        AssignReplicasToDirsRequestData request =
                new AssignReplicasToDirsRequestData().setBrokerId(1).setBrokerEpoch(brokerEpoch());
        request.directories()
                .add(new AssignReplicasToDirsRequestData.DirectoryData()
                        .setId(DirectoryId.UNASSIGNED)
                        .setTopics(List.of(told)));
        AssignReplicasToDirsResponseData answer = this.<Controller, AssignReplicasToDirsResponseData>ask(
                        new OwnerId<>(Controller.class, 0),
                        (controller, reply) -> controller.assignReplicasToDirs(request, reply))
                .value;
        short error =
                answer.directories().get(0).topics().get(0).partitions().get(0).errorCode();
        if (answer.errorCode() != 0 || error != 0) {
            throw new AssertionError(answer.toString());
        }
    }

    /** The image that the connections of loop 0 answer from. */
    MetadataImage image() {
        return this.<MetadataImage>outcome(done -> NodeImage.ask(mailboxes, done)).value;
    }

    /** Whether the controller takes it that records of the partition may be lost (C3). */
    boolean recovering(PartitionId partition) {
        return image().topic(partition.topicId())
                .partitions()
                .get(partition.partition())
                .eligible()
                .recovering();
    }

    private long brokerEpoch() {
        return image().broker(1).epoch();
    }

    private static OwnerId<ReplicaShard> shard(PartitionId partition) {
        return new OwnerId<>(ReplicaShard.class, partition.shard(LOOPS));
    }

    Outcome<Produced> tryProduce(PartitionId partition, String value) {
        return tryProduce(partition, value, -1);
    }

    /** @param producerId whose first batch this is; -1 for none */
    Outcome<Produced> tryProduce(PartitionId partition, String value, long producerId) {
        short epoch = (short) Math.min(0, producerId);
        ByteBuffer batch = SimBatches.batch(
                        List.of(value), 20, clock.wallMillis(), CompressionType.NONE, producerId, epoch, epoch)
                .buffer();
        Produce request = new Produce(
                List.of(new ProducePartition(partition, batch)), null, (short) -1, 30_000, (short) 9, new NoLease());
        return this.<ReplicaShard, List<Outcome<Produced>>>ask(
                        shard(partition), (owner, reply) -> owner.produce(request, reply))
                .value
                .get(0);
    }

    /** How many producers the partition knows. */
    int producers(PartitionId partition) {
        return tryProducers(partition).value().size();
    }

    Outcome<List<ActiveProducer>> tryProducers(PartitionId partition) {
        return this.<ReplicaShard, List<Outcome<List<ActiveProducer>>>>ask(
                        shard(partition), (owner, reply) -> owner.describeProducers(List.of(partition), reply))
                .value
                .get(0);
    }

    AppendResult produce(PartitionId partition, String value) {
        Outcome<Produced> outcome = tryProduce(partition, value);
        if (outcome.failure() != null) {
            throw new AssertionError(outcome.failure().toString());
        }
        return outcome.value().append();
    }

    /** A consumer's fetch from offset 0 of each, through the service that a door uses; with {@code cancelAtOnce} cancelled right behind it. */
    Result<List<ReadOutcome>> fetch(
            List<PartitionId> partitions, int minBytes, int maxWaitMillis, boolean cancelAtOnce) {
        List<ReadPartition> wishes = new ArrayList<>();
        partitions.forEach(each -> wishes.add(new ReadPartition(each, -1, 0, -1, 0, 1 << 20)));
        FetchService.Request request = new FetchService.Request(
                wishes, minBytes, 1 << 20, maxWaitMillis, ReadBound.HIGH_WATERMARK, Reader.CONSUMER);
        FetchService service = new FetchService(mailboxes, LOOPS, 0);
        return outcome(done -> {
            Runnable cancel = service.fetch(request, done);
            if (cancelAtOnce) {
                cancel.run();
            }
        });
    }

    long nowMillis() {
        return scheduler.now() / SimScheduler.MILLI;
    }

    private Outcome<storage.TimestampOffset> tryOffset(PartitionId partition, long timestamp) {
        OffsetQuery query = new OffsetQuery(partition, -1, timestamp, false);
        return this.<ReplicaShard, List<Outcome<storage.TimestampOffset>>>ask(
                        shard(partition), (owner, reply) -> owner.listOffsets(List.of(query), reply))
                .value
                .get(0);
    }

    Outcome<storage.TimestampOffset> tryEnd(PartitionId partition) {
        return tryOffset(partition, -1);
    }

    /** timestamp: -1 the end, -2 the start. */
    long offset(PartitionId partition, long timestamp) {
        Outcome<storage.TimestampOffset> outcome = tryOffset(partition, timestamp);
        if (outcome.failure() != null) {
            throw new AssertionError(outcome.failure().toString());
        }
        return outcome.value().offset();
    }

    int leaderEpoch(PartitionId partition) {
        return tryEnd(partition).value().leaderEpoch();
    }

    long start(PartitionId partition) {
        return offset(partition, -2);
    }

    long end(PartitionId partition) {
        return offset(partition, -1);
    }

    long deleteBefore(PartitionId partition, long offset) {
        Outcome<Long> outcome = this.<ReplicaShard, List<Outcome<Long>>>ask(
                        shard(partition),
                        (owner, reply) -> owner.deleteRecords(List.of(new DeleteQuery(partition, offset)), reply))
                .value
                .get(0);
        if (outcome.failure() != null) {
            throw new AssertionError(outcome.failure().toString());
        }
        return outcome.value();
    }

    static final class NoLease implements common.Lease {
        @Override
        public void retain() {}

        @Override
        public void release() {}
    }
}
