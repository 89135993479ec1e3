package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Lease;
import common.PartitionId;
import common.Peers;
import common.Ports;
import common.Timers;
import config.FetcherConfig;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.TopicImage;
import node.FollowedPartitions.Followed;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.ReplicaState;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.WireRecords;
import replication.FollowerReplica.Fetched;
import storage.EpochEnd;

/**
 * Fetches for all partitions of one shard that follow one other node. One request is on its way; the next goes out when what the last one brought is written,
 * so under load many appends share a fetch, and each fetch acknowledges all before it. What becomes ready while the leader waits with its answer is said at
 * once by a second request, which ends that wait. Confined to the shard.
 *
 * <pre>
 *   nothing asked --send--> asked --answer--> taking --all written, or LATE_MILLIS--> asked
 *                             '--failure--> resting --back-off--> nothing asked
 * </pre>
 */
final class ReplicaFetcher {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaFetcher.class);
    /** Others wait no longer for a partition whose append takes so long; it is left out of the session until it is done. */
    private static final int LATE_MILLIS = 5;
    /** First pause after a failure (rule L7); it doubles up to replica.fetch.backoff.ms. At a change of leaders the two nodes learn of it moments apart. */
    private static final int FIRST_PAUSE_MILLIS = 20;
    /** After so many failures of a partition in a row it is said. */
    private static final int LOUD = 8;
    /** Damaged records come from the leader's disk or from the wire: the wire is replaced. */
    private static final int DAMAGED = 3;

    private static final int LEAST_BYTES = 64 * 1024;
    /** A throttled partition is looked at again after it: a part of the window in which its bytes count. */
    private static final int THROTTLED_MILLIS = 200;

    private final Setup setup;
    private final int leader;
    private final PeerFetchSession session;
    private final Set<FetchedPartition> busy = new LinkedHashSet<>();
    private Peers.Address address;
    private Peers.Peer line;
    private int limit;
    /** Of the connection's session: answers to requests of former ones mean nothing. */
    private int generation;

    private int lastRequest;
    private int asked;
    /** While an answer is gone through nothing is sent. */
    private boolean reading;

    private boolean late;
    private Timers.Handle lateness;
    private Timers.Handle rest;
    private int failures;
    /** The leader did not know the session; another one was begun. */
    private boolean sessionLost;

    private boolean closed;

    /**
     * What all fetchers of a shard share.
     *
     * @param image that this shard has seen
     * @param throttle of partitions that follow
     * @param refused told of a node whose process is gone: nobody listens at its address
     */
    record Setup(
            int nodeId,
            FetcherConfig config,
            Ports ports,
            Peers peers,
            InterBroker doors,
            Supplier<MetadataImage> image,
            ReplicationThrottles.Side throttle,
            IntConsumer refused) {}

    ReplicaFetcher(Setup setup, int leader) {
        this.setup = setup;
        this.leader = leader;
        this.limit = setup.config.responseMaxBytes();
        this.session = new PeerFetchSession(setup.config.partitionMaxBytes(), this::flush);
    }

    void add(Followed followed) {
        session.add(new FetchedPartition(followed));
        proceed();
    }

    void remove(Followed followed) {
        FetchedPartition partition = session.get(followed.id());
        if (partition != null && partition.followed() == followed) {
            session.remove(partition);
            partition.leave();
        }
    }

    boolean isEmpty() {
        return session.isEmpty();
    }

    /** Ends the connection; what is being appended still ends. */
    void close() {
        closed = true;
        new ArrayList<>(session.all()).forEach(each -> {
            session.remove(each);
            each.leave();
        });
        if (rest != null) {
            rest.cancel();
        }
        hangUp();
    }

    private void hangUp() {
        beginAnew();
        if (line != null) {
            Peers.Peer old = line;
            line = null;
            old.close();
        }
    }

    /** What is asked is not waited for any more. */
    private void beginAnew() {
        generation++;
        asked = 0;
        session.reset();
    }

    private void proceed() {
        if (closed || reading || rest != null) {
            return;
        }
        boolean written = busy.isEmpty() || late;
        if (asked == 0 ? written : asked == 1 && session.hasNews()) {
            send();
        }
    }

    private void send() {
        Peers.Address to = addressOfLeader();
        long epoch = ownEpoch();
        if (to == null || epoch < 0) {
            rest("the metadata has no address of it, or no registration of this node");
            return;
        }
        if (!to.equals(address)) {
            hangUp();
            address = to;
        }
        if (line == null) {
            line = setup.peers.line(to);
        }
        reading = true;
        if (late) {
            busy.forEach(session::drop);
        }
        if (setup.throttle.exceeded()) {
            session.all().forEach(this::holdBack);
        }
        boolean beginning = session.isBeginning();
        int number = ++lastRequest;
        FetchRequestData request = session.next(number);
        reading = false;
        if (request == null) {
            return;
        }
        int wait = beginning ? 0 : setup.config.maxWaitMillis();
        request.setReplicaState(new ReplicaState().setReplicaId(setup.nodeId).setReplicaEpoch(epoch))
                .setMaxWaitMs(wait)
                .setMinBytes(setup.config.minBytes())
                .setMaxBytes(limit);
        asked++;
        int of = generation;
        line.send(request, wait + setup.config.timeoutMillis(), (answer, failure) -> {
            if (of != generation || closed) {
                return;
            }
            asked--;
            if (failure != null) {
                failed(failure);
            } else {
                answered(number, answer);
            }
            proceed();
        });
    }

    private Peers.Address addressOfLeader() {
        BrokerImage broker = setup.image.get().broker(leader);
        return broker == null ? null : setup.doors.addressOf(broker);
    }

    private long ownEpoch() {
        BrokerImage self = setup.image.get().broker(setup.nodeId);
        return self == null ? -1 : self.epoch();
    }

    private void failed(Failure why) {
        if (why.code() == FailureCode.PEER_REFUSED) {
            setup.refused.accept(leader);
        }
        if (why.code() == FailureCode.TIMED_OUT) {
            // A slow network: what cannot come in time would be asked for again and again.
            limit = Math.max(Math.min(LEAST_BYTES, limit), limit / 2);
        }
        beginAnew();
        rest(why.message());
    }

    private void rest(String why) {
        failures++;
        if (failures == 1 || failures == LOUD) {
            LOG.warn(
                    "{} partition(s) that node {} leads cannot be fetched: {}; tried again until it succeeds",
                    session.all().size(),
                    leader,
                    why);
        }
        rest = setup.ports.timers().after(pauseAfter(failures), () -> {
            rest = null;
            proceed();
        });
    }

    /** Jittered, so that a node that comes back does not meet all of its followers at once. */
    private int pauseAfter(int failed) {
        int most = Math.max(1, setup.config.backoffMaxMillis());
        int pause = (int) Math.min(most, (long) FIRST_PAUSE_MILLIS << Math.min(failed - 1, 20));
        return pause / 2 + setup.ports.random().below(pause / 2 + 1);
    }

    private void answered(int number, Peers.Answer answer) {
        FetchResponseData response = (FetchResponseData) answer.message();
        Errors error = Errors.forCode(response.errorCode());
        if (error != Errors.NONE) {
            refused(error);
            return;
        }
        if (failures > 0) {
            LOG.info("node {} answers fetches again", leader);
        }
        failures = 0;
        sessionLost = false;
        limit = (int) Math.min(setup.config.responseMaxBytes(), 2L * Math.max(1, limit));
        session.answered(response.sessionId());
        Holding bytes = new Holding(answer.bytes());
        reading = true;
        for (FetchableTopicResponse topic : response.responses()) {
            for (PartitionData each : topic.partitions()) {
                FetchedPartition partition = session.get(new PartitionId(topic.topicId(), each.partitionIndex()));
                if (partition != null && partition.isAskedIn(number) && !busy.contains(partition)) {
                    take(partition, each, bytes);
                }
            }
        }
        reading = false;
        if (busy.isEmpty()) {
            written();
        } else if (lateness == null) {
            lateness = setup.ports.timers().after(LATE_MILLIS, () -> {
                lateness = null;
                late = true;
                proceed();
            });
        }
    }

    private void written() {
        late = false;
        if (lateness != null) {
            lateness.cancel();
            lateness = null;
        }
    }

    private void refused(Errors error) {
        beginAnew();
        switch (error) {
            case FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH, FETCH_SESSION_TOPIC_ID_ERROR -> {
                // The leader has made room for others, or begun anew: all is said again, at once.
                if (sessionLost) {
                    rest(error.message());
                }
                sessionLost = true;
            }
            default -> rest(error.message());
        }
    }

    /** The buffers of an answer, kept while something of it is being appended. */
    private static final class Holding {
        private final Lease bytes;
        private int users;

        Holding(Lease bytes) {
            this.bytes = bytes;
        }

        void begin() {
            if (users++ == 0) {
                bytes.retain();
            }
        }

        void end() {
            if (--users == 0) {
                bytes.release();
            }
        }
    }

    private void take(FetchedPartition partition, PartitionData data, Holding bytes) {
        Errors error = Errors.forCode(data.errorCode());
        Followed followed = partition.followed();
        if (error == Errors.OFFSET_OUT_OF_RANGE && data.logStartOffset() >= 0) {
            busy.add(partition);
            followed.restartAt(partition.asked(), data.logStartOffset(), (none, failure) -> taken(partition, failure));
            return;
        }
        if (error != Errors.NONE) {
            pause(partition, "the leader says " + error);
            return;
        }
        EpochEnd parts = data.divergingEpoch().endOffset() < 0
                ? null
                : new EpochEnd(
                        data.divergingEpoch().epoch(), data.divergingEpoch().endOffset());
        ByteBuffer records = WireRecords.of(data);
        setup.throttle.moved(partition.id(), records.remaining());
        busy.add(partition);
        bytes.begin();
        followed.take(
                partition.asked(),
                new Fetched(records, parts, data.highWatermark(), data.logStartOffset()),
                (none, failure) -> {
                    bytes.end();
                    taken(partition, failure);
                });
    }

    private void taken(FetchedPartition partition, Failure failure) {
        busy.remove(partition);
        if (!partition.gone()) {
            if (failure == null) {
                partition.succeeded();
                mention(partition);
            } else if (failure.code() == FailureCode.CORRUPT_BATCH) {
                damaged(partition, failure);
            } else {
                pause(partition, failure.message());
            }
        }
        if (!reading && busy.isEmpty()) {
            written();
        }
        proceed();
    }

    /** Its log has changed, perhaps. */
    private void mention(FetchedPartition partition) {
        if (partition.asked() == null || !partition.asked().equals(partition.wish())) {
            session.changed(partition);
        }
    }

    private void damaged(FetchedPartition partition, Failure why) {
        int times = partition.damaged();
        LOG.warn("{} (node {}, {} in a row); they are fetched again", why.message(), leader, times);
        if (times % DAMAGED == 0) {
            hangUp();
        }
        pause(partition, why.message());
    }

    /** Leaves the partition out for a while: an answer that carries an error comes at once, whatever else there is to wait for. */
    private void pause(FetchedPartition partition, String why) {
        session.drop(partition);
        int times = partition.failed();
        if (times == LOUD) {
            LOG.warn(
                    "{}-{} cannot be fetched from node {}: {}; tried again until it succeeds",
                    topicOf(partition),
                    partition.id().partition(),
                    leader,
                    why);
        }
        askLater(partition, pauseAfter(times));
    }

    private String topicOf(FetchedPartition partition) {
        TopicImage topic = setup.image.get().topic(partition.id().topicId());
        return topic == null ? partition.id().topicId().toString() : topic.name();
    }

    /** Not now, if it is throttled; one that is in sync is not. */
    private void holdBack(FetchedPartition partition) {
        if (partition.wish() != null && isThrottled(partition)) {
            session.drop(partition);
            askLater(partition, THROTTLED_MILLIS);
        }
    }

    private boolean isThrottled(FetchedPartition partition) {
        return !partition.followed().inSync() && setup.throttle.holds(partition.id());
    }

    private void askLater(FetchedPartition partition, int millis) {
        partition.pause(setup.ports.timers().after(millis, () -> {
            partition.resume();
            if (setup.throttle.exceeded() && isThrottled(partition)) {
                askLater(partition, THROTTLED_MILLIS);
                return;
            }
            session.changed(partition);
            proceed();
        }));
    }

    private void flush(FetchedPartition partition) {
        busy.add(partition);
        Callback<Void> done = (none, failure) -> taken(partition, failure);
        partition.followed().flush(done);
    }
}
