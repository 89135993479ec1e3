package node;

import common.Callback;
import common.Failure;
import common.PartitionId;
import common.Timers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import replication.LeaderReplica;
import replication.LeaderWatch;
import replication.ReplicaShard.News;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;
import replication.ReplicaShard.Reader;
import replication.ReplicaShard.SessionRead;
import storage.ReadBound;
import storage.ReadResult;

/**
 * The partitions that another node follows here, as its fetches in one session name them (KIP-227). A fetch looks only at those in which something has happened
 * since they were read last, so thousands that rest cost nothing. Confined to the shard.
 *
 * <pre>
 *   nothing asked --fetch--> reading --enough--> answered
 *                              '--too little--> waiting --records, news or the time--> reading --> answered
 * </pre>
 */
final class FollowerSession {
    /**
     * A high watermark alone is told so much later: the next records mostly tell it before, and half of all fetches under load would else carry nothing more.
     * Consumers that read from followers see records so much later (KIP-392).
     */
    private static final long TELL_HIGH_WATERMARK_MILLIS = 10;

    private static final long COUNT_AGAIN_NANOS = 400_000_000L;

    private final Shard shard;
    private final Map<PartitionId, Watched> watched = new LinkedHashMap<>();
    /** Those that have something to tell, in the order in which they are read. */
    private final Set<Watched> news = new LinkedHashSet<>();
    /** Fetches that came while another one is read for or waits: it has been told to end. */
    private final ArrayDeque<Fetch> next = new ArrayDeque<>(2);

    private Fetch current;
    private long followersEpoch = -1;
    private long countedNanos;

    /** What a session needs of its shard. */
    interface Shard {
        /** Null when it is not led here. */
        LeaderReplica leader(PartitionId partition);

        /** Why it is not. */
        Failure whyNot(ReadPartition wish);

        Timers timers();

        /** Monotonic time. */
        long nanos();

        ReplicationThrottles.Side throttle();

        /** Runs {@code task} on the shard when what is queued for it now is done: what several appends bring goes into one answer. */
        void soon(Runnable task);
    }

    FollowerSession(Shard shard) {
        this.shard = shard;
    }

    /** As {@link replication.ReplicaShard#fetchNews}. A fetch that is being answered is answered at once. */
    void fetch(SessionRead request, Callback<List<News>> done) {
        for (PartitionId each : request.forgotten()) {
            Watched gone = watched.remove(each);
            if (gone != null) {
                gone.leave();
            }
        }
        // Of all partitions, before a read of one of them waits for the disk: acknowledgements wait for these
        // positions.
        for (ReadPartition each : request.changed()) {
            watched.computeIfAbsent(each.partition(), Watched::new).asks(each, request.reader());
        }
        countAgain(request.reader());
        Fetch fetch = new Fetch(request, done);
        if (current != null) {
            next.add(fetch);
            current.hurry();
        } else {
            current = fetch;
            fetch.read();
        }
    }

    /**
     * What rests is as it was said to be. That counts anew where the follower is to come back into the ISR: it may have become eligible since, or its process has
     * registered again.
     */
    private void countAgain(Reader reader) {
        boolean registered = reader.brokerEpoch() != followersEpoch;
        if (!registered && shard.nanos() - countedNanos < COUNT_AGAIN_NANOS) {
            return;
        }
        followersEpoch = reader.brokerEpoch();
        countedNanos = shard.nanos();
        for (Watched each : watched.values()) {
            if (registered || each.isOutOfSync()) {
                each.countAgain(reader);
            }
        }
    }

    /** Answers at once what waits. */
    void hurry() {
        if (current != null) {
            current.hurry();
        }
        next.forEach(each -> each.hurried = true);
    }

    /** Watches nothing any more. */
    void end() {
        hurry();
        watched.values().forEach(Watched::leave);
        watched.clear();
    }

    /** One partition. */
    private final class Watched implements LeaderWatch {
        private final PartitionId id;
        private ReadPartition wish;
        private int follower;
        /** It had no rate left when it was read last: what comes now does not end a wait. */
        private boolean withheld;

        /** Why its follower gets nothing; null: it does. */
        private Failure refusal;

        private LeaderReplica leader;
        private long toldHighWatermark = -1;
        private long toldStart = -1;

        Watched(PartitionId id) {
            this.id = id;
        }

        void asks(ReadPartition asked, Reader reader) {
            wish = asked;
            follower = reader.replicaId();
            attach();
            refusal = leader == null ? null : leader.followerFetches(reader.replicaId(), reader.brokerEpoch(), asked);
            note();
        }

        boolean isOutOfSync() {
            return leader != null && !leader.isInSync(follower);
        }

        void countAgain(Reader reader) {
            attach();
            Failure now =
                    leader == null ? null : leader.followerFetches(reader.replicaId(), reader.brokerEpoch(), wish);
            if (now != null || refusal != null) {
                refusal = now;
                note();
            }
        }

        private void note() {
            news.add(this);
            if (current != null) {
                current.overtaken = true;
            }
        }

        private void attach() {
            LeaderReplica now = shard.leader(id);
            if (now != leader) {
                detach();
                leader = now;
                if (now != null) {
                    now.watch(this);
                }
            }
        }

        private void detach() {
            if (leader != null) {
                leader.unwatch(this);
                leader = null;
            }
        }

        void leave() {
            detach();
            news.remove(this);
        }

        @Override
        public void written(long bytes) {
            note();
            if (current != null && !withheld) {
                current.written(bytes);
            }
        }

        @Override
        public void highWatermarkMoved() {
            note();
            if (current != null && !withheld) {
                current.highWatermarkMoved();
            }
        }

        @Override
        public void changed() {
            note();
            if (current != null) {
                current.wakeSoon();
            }
        }

        void read(int maxBytes, boolean wholeFirstBatch, Callback<ReadOutcome> done) {
            attach();
            withheld = leader != null
                    && refusal == null
                    && shard.throttle().exceeded()
                    && shard.throttle().holds(id)
                    && !leader.isInSync(follower);
            if (leader == null || refusal != null) {
                done.succeed(new ReadOutcome(null, null, leader == null ? shard.whyNot(wish) : refusal, -1, -1));
            } else if (withheld) {
                done.succeed(leader.withheld());
            } else {
                leader.read(
                        wish,
                        Math.min(maxBytes, wish.maxBytes()),
                        wholeFirstBatch,
                        ReadBound.LOG_END,
                        (outcome, failure) -> {
                            if (outcome.result() != null) {
                                shard.throttle().moved(id, outcome.result().bytes());
                            }
                            done.succeed(outcome);
                        });
            }
        }

        /** Whether there is more to say than that all is as it was. */
        boolean isNews(ReadOutcome outcome) {
            ReadResult result = outcome.result();
            return outcome.urgent()
                    || result.bytes() > 0
                    || result.highWatermark() != toldHighWatermark
                    || result.logStartOffset() != toldStart;
        }

        /** It was read, and that is answered: has nothing to tell any more, unless its follower must come back for the rest. */
        void told(ReadOutcome outcome) {
            news.remove(this);
            if (watched.get(id) != this) {
                return;
            }
            ReadResult result = outcome.result();
            if (outcome.urgent() || result.bytes() > 0 || result.more()) {
                // Behind all others from now on. Its follower has not got it before it asks for what comes after it.
                news.add(this);
            }
            if (result != null) {
                toldHighWatermark = result.highWatermark();
                toldStart = result.logStartOffset();
            }
        }

        /** Read, and nothing found that must be told now. */
        void nothing(ReadOutcome outcome) {
            if (!isNews(outcome) && !outcome.result().more()) {
                news.remove(this);
            }
        }
    }

    /** One fetch on its way. */
    private final class Fetch {
        private final SessionRead request;
        private final Callback<List<News>> done;
        private boolean hurried;
        private List<Watched> toRead;
        private List<ReadOutcome> outcomes;
        private long bytes;
        private boolean urgent;
        /** There is more to read than the limits let into this answer: waiting brings no more. */
        private boolean limited;

        private boolean inLoop;
        private boolean waiting;
        private boolean waking;
        /** Something has happened while the disk was read. */
        private boolean overtaken;

        private long missing;
        private Timers.Handle deadline;
        private Timers.Handle telling;

        Fetch(SessionRead request, Callback<List<News>> done) {
            this.request = request;
            this.done = done;
        }

        void read() {
            toRead = new ArrayList<>(news);
            outcomes = new ArrayList<>(toRead.size());
            bytes = 0;
            urgent = false;
            limited = false;
            overtaken = false;
            proceed();
        }

        private void proceed() {
            inLoop = true;
            while (outcomes.size() < toRead.size() && (bytes == 0 || bytes < request.maxBytes())) {
                int before = outcomes.size();
                toRead.get(before)
                        .read(
                                (int) Math.max(0, request.maxBytes() - bytes),
                                bytes == 0,
                                (outcome, failure) -> take(outcome));
                if (outcomes.size() == before) {
                    inLoop = false;
                    return;
                }
            }
            inLoop = false;
            wasRead();
        }

        private void take(ReadOutcome outcome) {
            outcomes.add(outcome);
            urgent |= outcome.urgent();
            if (outcome.result() != null) {
                bytes += outcome.result().bytes();
                limited |= outcome.result().more();
            }
            if (!inLoop) {
                proceed();
            }
        }

        private void wasRead() {
            limited |= outcomes.size() < toRead.size();
            if (hurried
                    || urgent
                    || (limited && bytes > 0)
                    || bytes >= request.minBytes()
                    || request.maxWaitMillis() <= 0) {
                answer();
            } else if (overtaken) {
                release();
                read();
            } else {
                await();
            }
        }

        private void answer() {
            List<News> all = new ArrayList<>(outcomes.size());
            for (int i = 0; i < outcomes.size(); i++) {
                Watched each = toRead.get(i);
                if (each.isNews(outcomes.get(i))) {
                    all.add(new News(each.id, outcomes.get(i)));
                }
                each.told(outcomes.get(i));
            }
            if (overtaken) {
                // What has happened in between is for the next one; where, is not known any more.
                news.addAll(toRead);
            }
            Fetch following = next.poll();
            current = following;
            done.succeed(all);
            if (following != null) {
                following.read();
            }
        }

        private void release() {
            for (ReadOutcome each : outcomes) {
                if (each.result() != null && each.result().range() != null) {
                    each.result().range().release();
                }
            }
        }

        private void await() {
            boolean tell = false;
            for (int i = 0; i < outcomes.size(); i++) {
                toRead.get(i).nothing(outcomes.get(i));
                tell |= toRead.get(i).isNews(outcomes.get(i));
            }
            release();
            waiting = true;
            missing = request.minBytes() - bytes;
            deadline = shard.timers().after(request.maxWaitMillis(), this::wake);
            if (tell) {
                highWatermarkMoved();
            }
        }

        void written(long more) {
            missing -= more;
            if (missing <= 0) {
                wakeSoon();
            }
        }

        void highWatermarkMoved() {
            if (waiting && telling == null) {
                telling = shard.timers().after(TELL_HIGH_WATERMARK_MILLIS, this::wake);
            }
        }

        void wakeSoon() {
            if (waiting && !waking) {
                waking = true;
                shard.soon(this::wake);
            }
        }

        /** Ends the wait, or keeps it from beginning. */
        void hurry() {
            hurried = true;
            wake();
        }

        private void wake() {
            if (!waiting) {
                return;
            }
            waiting = false;
            hurried = true;
            deadline.cancel();
            if (telling != null) {
                telling.cancel();
            }
            read();
        }
    }
}
