package node;

import static java.nio.charset.StandardCharsets.UTF_8;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Lease;
import common.PartitionId;
import common.Peers;
import config.FetcherConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import metadata.MetadataImage;
import node.FollowedPartitions.Followed;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import replication.FollowerReplica.Fetched;
import replication.FollowerReplica.Wish;
import sim.SimHost;
import storage.PartitionLog;

/** The fetchers of a shard between partitions that append as the test says, and a leader whom the test plays. */
final class FetcherLab implements Peers {
    static final int SELF = 1;
    static final long EPOCH = 40;
    static final int LEADER = 2;
    private static final Uuid TOPIC = new Uuid(3, 4);

    private static final FetcherConfig CONFIG =
            new FetcherConfig(1 << 20, 10 << 20, 1, 500, 1_000, 30_000, Long.MAX_VALUE, Long.MAX_VALUE, 11, 1);

    private final SimHost host = new SimHost(11);
    private final ReplicationThrottles throttles;
    private final ArrayDeque<Asked> asked = new ArrayDeque<>();
    private final ReplicaFetchers fetchers;
    private MetadataImage image;
    private Line line;
    private int suspicions;
    private int leases;

    FetcherLab() {
        moveLeader("two");
        throttles = new ReplicationThrottles(SELF, CONFIG, 1, host.clock(), () -> image);
        fetchers = new ReplicaFetchers(new ReplicaFetcher.Setup(
                SELF,
                CONFIG,
                host.ports(),
                this,
                new InterBroker("PLAINTEXT"),
                () -> image,
                throttles.following(),
                id -> suspicions += id == LEADER ? 1 : 100));
    }

    /** A request on its way. */
    record Asked(FetcherLab lab, FetchRequestData request, Callback<Answer> done) {
        List<String> wishes() {
            List<String> all = new ArrayList<>();
            request.topics()
                    .forEach(topic ->
                            topic.partitions().forEach(each -> all.add(each.partition() + "@" + each.fetchOffset())));
            return all;
        }

        List<String> forgotten() {
            List<String> all = new ArrayList<>();
            request.forgottenTopicsData()
                    .forEach(topic -> topic.partitions().forEach(each -> all.add(Integer.toString(each))));
            return all;
        }

        void answer(FetchResponseData response) {
            lab.asked.remove(this);
            lab.leases++;
            int[] users = {1};
            Lease bytes = new Lease() {
                @Override
                public void retain() {
                    users[0]++;
                }

                @Override
                public void release() {
                    if (--users[0] == 0) {
                        lab.leases--;
                    }
                }
            };
            done.succeed(new Answer(response, (short) 17, bytes));
            bytes.release();
        }

        void fail(FailureCode code) {
            lab.asked.remove(this);
            done.fail(code, "as the test says");
        }
    }

    private final class Line implements Peer {
        private final Address to;

        Line(Address to) {
            this.to = to;
        }

        @Override
        public void send(ApiMessage request, int timeoutMillis, Callback<Answer> done) {
            asked.add(new Asked(FetcherLab.this, (FetchRequestData) request, done));
        }

        @Override
        public void close() {
            line = line == this ? null : line;
            List.copyOf(asked).forEach(each -> each.fail(FailureCode.SHUTTING_DOWN));
        }
    }

    @Override
    public Peer line(Address to) {
        line = new Line(to);
        return line;
    }

    Object line() {
        return line;
    }

    boolean connected() {
        return line != null;
    }

    Address dialled() {
        return line.to;
    }

    /** @param name null: nobody knows where it is */
    void moveLeader(String name) {
        image = FetcherImages.of(SELF, EPOCH, LEADER, name);
    }

    /** Partition 0 is throttled on this node. */
    void throttle(long bytesPerSecond) {
        image = FetcherImages.throttled(image, TOPIC, "follower", "0:" + SELF + ",1:" + LEADER);
        throttles.configure(
                new FetcherConfig(1 << 20, 10 << 20, 1, 500, 1_000, 30_000, Long.MAX_VALUE, bytesPerSecond, 11, 1));
    }

    void passes(long millis) {
        host.runFor(millis);
    }

    int outstanding() {
        return asked.size();
    }

    Asked next() {
        return asked.getFirst();
    }

    Asked last() {
        return asked.getLast();
    }

    List<Asked> all() {
        return List.copyOf(asked);
    }

    int suspicions() {
        return suspicions;
    }

    /** Answers whose memory is still held. */
    int leases() {
        return leases;
    }

    Part follow(int partition) {
        return follow(partition, 7);
    }

    Part follow(int partition, int epoch) {
        Part part = new Part(new PartitionId(TOPIC, partition), epoch);
        fetchers.began(part);
        return part;
    }

    void ended(Part part) {
        part.ended = true;
        fetchers.ended(part);
    }

    static FetchResponseData failed(Errors error) {
        return new FetchResponseData().setErrorCode(error.code());
    }

    static PartitionData failed(int partition, Errors error) {
        return new PartitionData()
                .setPartitionIndex(partition)
                .setErrorCode(error.code())
                .setHighWatermark(-1)
                .setRecords(MemoryRecords.EMPTY);
    }

    static PartitionData records(int partition, long offset, int count) {
        SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++) {
            records[i] = new SimpleRecord(("record " + (offset + i)).getBytes(UTF_8));
        }
        return new PartitionData()
                .setPartitionIndex(partition)
                .setHighWatermark(1_000)
                .setLogStartOffset(0)
                .setRecords(MemoryRecords.withRecords(offset, Compression.NONE, 7, records));
    }

    static FetchResponseData response(int session, PartitionData... partitions) {
        FetchResponseData response = new FetchResponseData().setSessionId(session);
        if (partitions.length > 0) {
            response.responses()
                    .add(new FetchableTopicResponse().setTopicId(TOPIC).setPartitions(List.of(partitions)));
        }
        return response;
    }

    /** A partition that counts what it is given. */
    static final class Part implements Followed {
        private final PartitionId id;
        private final int epoch;
        private final Map<String, Runnable> underWay = new LinkedHashMap<>();
        long end;
        long highWatermark;
        long restartedAt = -1;
        boolean slow;
        boolean inSync = true;
        boolean unflushed;
        Failure damage;
        private boolean ended;

        Part(PartitionId id, int epoch) {
            this.id = id;
            this.epoch = epoch;
        }

        /** What it was given is in its log. */
        void written() {
            underWay.remove("append").run();
        }

        void flushed() {
            unflushed = false;
            underWay.remove("flush").run();
        }

        @Override
        public PartitionId id() {
            return id;
        }

        @Override
        public int leader() {
            return LEADER;
        }

        @Override
        public int leaderEpoch() {
            return epoch;
        }

        @Override
        public PartitionLog log() {
            throw new UnsupportedOperationException("only to say what is wrong");
        }

        @Override
        public boolean inSync() {
            return inSync;
        }

        @Override
        public Wish wish() {
            return ended || !underWay.isEmpty() ? null : new Wish(epoch, end, end == 0 ? -1 : epoch, 0);
        }

        @Override
        public boolean mustFlush() {
            return unflushed && end > 0;
        }

        @Override
        public void flush(Callback<Void> done) {
            underWay.put("flush", () -> done.succeed(null));
        }

        @Override
        public void take(Wish wish, Fetched answer, Callback<Void> done) {
            if (!wish.equals(wish())) {
                done.succeed(null);
                return;
            }
            if (damage != null) {
                done.fail(damage);
                return;
            }
            long next = end;
            for (RecordBatch each :
                    MemoryRecords.readableRecords(answer.records().duplicate()).batches()) {
                next = each.lastOffset() + 1;
            }
            long reached = next;
            Runnable append = () -> {
                end = reached;
                highWatermark = Math.min(answer.highWatermark(), end);
                done.succeed(null);
            };
            if (slow && reached > end) {
                underWay.put("append", append);
            } else {
                append.run();
            }
        }

        @Override
        public void restartAt(Wish wish, long leaderLogStart, Callback<Void> done) {
            if (wish.equals(wish())) {
                restartedAt = leaderLogStart;
                end = leaderLogStart;
            }
            done.succeed(null);
        }
    }
}
