package replication;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mutations;
import config.LogConfig;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import records.BatchValidator;
import replication.IsrProposal.Refusal;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produced;
import replication.ReplicaShard.ReadPartition;
import sim.SimHost;
import sim.SimLife;
import storage.DiskExecutor.Lane;
import storage.LogContext;
import storage.LogDirectory;
import storage.LogHost;
import storage.LogIdentity;
import storage.LogLimits;
import storage.LogStart;
import storage.PartitionLog;
import storage.ReadBound;

/** A broker with one replica of one partition, the real log and the real machines, over its processes; everything else in it is plain. */
final class ReplicaNode implements LogHost {
    static final long LAG_NANOS = 2_000_000_000L;
    private static final LogIdentity IDENTITY = new LogIdentity("orders", 0, "AAAAAAAAQAGAAAAAAAAAAQ");
    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";
    private static final long POLL_NANOS = 20_000_000L;
    private static final long PATIENCE_NANOS = 800_000_000L;

    final int id;
    private final ReplicaWorld world;
    private final LogConfig config;
    private final Mutations mutations;
    SimHost host;
    PartitionLog log;
    LeaderReplica leader;
    FollowerReplica follower;
    long brokerEpoch = -1;
    private boolean lossy;
    private ScriptedController.View applied;
    private long startToPersist;
    private long truncatingTo = Long.MAX_VALUE;
    private long fetching;
    private boolean fetchUnderWay;
    private boolean ready;

    ReplicaNode(int id, ReplicaWorld world, SimHost host, LogConfig config, Mutations mutations) {
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
        return alive() && ready;
    }

    // ---- processes

    /** @param power true: what was not synced is gone */
    void end(boolean power) {
        lossy |= power && !config.durable();
        ready = false;
        leader = null;
        follower = null;
        brokerEpoch = -1;
        applied = null;
        fetchUnderWay = false;
        truncatingTo = Long.MAX_VALUE;
        host.life().end();
        next = power ? host.powerCut() : host.kill();
    }

    private SimHost next;

    void start() {
        if (next != null) {
            host = next;
            next = null;
        }
        LogDirectory.OpenRequest request =
                new LogDirectory.OpenRequest(id, null, CLUSTER, "AAAAAAAAQAGAAAAAAAAAAg", mutations);
        host.mutations(mutations);
        host.executor().run(Lane.BLOCKING, LogDirectory.open(request), (opened, failure) -> {
            fail(failure);
            LogDirectory.FoundPartition found = null;
            for (LogDirectory.FoundPartition each : opened.partitions()) {
                found = each.identity().directory().equals(IDENTITY.directory()) ? each : found;
            }
            LogStart start = found == null ? LogStart.NEW : found.start();
            if (found == null || found.identity().topicId() != null) {
                open(start);
            } else {
                // A power cut took its partition.metadata.
                host.executor().run(Lane.BLOCKING, LogDirectory.identify(IDENTITY), (none, why) -> open(start));
            }
        });
    }

    private void open(LogStart start) {
        startToPersist = start.logStartOffset();
        LogContext context = new LogContext(host.ports(), host.executor(), this, LogLimits.DEFAULT);
        context.open(IDENTITY, config, start, (opened, failure) -> {
            fail(failure);
            log = opened;
            ready = true;
            register();
        });
    }

    private static void fail(Failure failure) {
        if (failure != null) {
            throw new AssertionError(failure);
        }
    }

    private void register() {
        if (brokerEpoch >= 0) {
            return;
        }
        world.after(host.life(), 300_000_000L, this::register);
        boolean lost = lossy;
        SimHost process = host;
        world.toController(this, controller -> {
            if (host != process) {
                return;
            }
            long epoch = controller.register(id, process, lost, world.now());
            world.fromController(this, process.life(), () -> {
                if (brokerEpoch < epoch) {
                    boolean first = brokerEpoch < 0;
                    brokerEpoch = epoch;
                    lossy = false;
                    if (first) {
                        heartbeat();
                        poll();
                        checkpoints();
                        duties();
                    }
                }
            });
        });
    }

    private void heartbeat() {
        long epoch = brokerEpoch;
        long knows = applied == null ? -1 : applied.version();
        world.toController(this, controller -> controller.heartbeat(id, epoch, knows, world.now()));
        world.after(host.life(), 300_000_000L, this::heartbeat);
    }

    private void duties() {
        if (leader != null) {
            leader.housekeep(host.clock().wallMillis());
        }
        world.after(host.life(), LAG_NANOS / 2, this::duties);
    }

    private void checkpoints() {
        checkpoint((none, failure) -> {});
        world.after(host.life(), 1_000_000_000L, this::checkpoints);
    }

    private void checkpoint(Callback<Void> done) {
        LogDirectory.Checkpoint line = new LogDirectory.Checkpoint(
                IDENTITY.topic(),
                0,
                Math.min(truncatingTo, log.recoveryPoint()),
                Math.max(startToPersist, log.logStartOffset()),
                log.highWatermark());
        host.executor().run(Lane.BLOCKING, LogDirectory.writeCheckpoints(List.of(line)), done);
    }

    @Override
    public void directoryOffline(Failure why) {
        throw new AssertionError(why.message());
    }

    @Override
    public void persistLogStart(PartitionLog asking, long newStart, Callback<Void> persisted) {
        startToPersist = Math.max(startToPersist, newStart);
        checkpoint(persisted);
    }

    // ---- metadata

    /** Rule C8: only what is newer, and what knows of this process. */
    void apply(ScriptedController.View view) {
        if (brokerEpoch < 0
                || view.version() < brokerEpoch
                || (applied != null && view.version() <= applied.version())) {
            return;
        }
        applied = view;
        if (view.leader() == id) {
            lead(view.state());
            return;
        }
        if (leader != null) {
            leader.resign(Failure.of(FailureCode.NOT_LEADER, "another leads"));
            leader = null;
        }
        if (follower == null) {
            follower = new FollowerReplica(log, this::lower, (log, lost) -> world.committedCut(this, lost), mutations);
        }
        follower.follow(view.state().leaderEpoch(), view.state().isr().contains(id));
    }

    private void lead(IsrState state) {
        if (follower != null) {
            follower.close();
            follower = null;
        }
        if (leader == null) {
            TransactionGate gate = new TransactionGate(
                    log, TransactionVerifier.NONE, new TopicPartition("orders", 0), mutations, 1 << 20);
            Admission admission = new Admission(
                    host.executor(),
                    host.clock(),
                    new Admission.Validators(new BatchValidator(), new BatchValidator()),
                    1 << 20);
            leader = new LeaderReplica(log, admission, gate, id);
        }
        LeaderSetup setup = new LeaderSetup(
                id,
                broker -> applied.eligible().getOrDefault(broker, -1L),
                this::ask,
                host.clock(),
                host.ports().timers(),
                LAG_NANOS,
                mutations);
        leader.lead(state, setup, (none, failure) -> {});
    }

    private void ask(LogIdentity partition, IsrProposal proposal, IsrChanges.Outcome outcome) {
        boolean[] told = new boolean[1];
        SimLife life = host.life();
        world.toController(this, controller -> {
            Refusal[] refusal = new Refusal[1];
            IsrState state = controller.alter(id, proposal, refusal);
            world.fromController(this, life, () -> {
                if (!told[0]) {
                    told[0] = true;
                    if (state != null) {
                        outcome.changed(state);
                    } else {
                        outcome.refused(refusal[0]);
                    }
                }
            });
        });
        world.after(life, PATIENCE_NANOS, () -> {
            if (!told[0]) {
                told[0] = true;
                outcome.refused(Refusal.UNKNOWN);
            }
        });
    }

    private void lower(PartitionLog log, long offset, Callback<Void> done) {
        truncatingTo = offset;
        checkpoint((none, failure) -> done.done(null, failure));
        world.count("cuts");
    }

    // ---- replication

    private void poll() {
        world.after(host.life(), POLL_NANOS, this::poll);
        if (follower == null || applied.leader() < 0 || applied.leader() == id || fetchUnderWay) {
            return;
        }
        if (follower.mustFlush()) {
            fetchUnderWay = true;
            follower.flush((none, failure) -> fetchUnderWay = false);
            return;
        }
        FollowerReplica.Wish wish = follower.wish();
        if (wish == null) {
            return;
        }
        fetchUnderWay = true;
        long number = ++fetching;
        FollowerReplica asking = follower;
        long epoch = brokerEpoch;
        world.send(
                id,
                applied.leader(),
                to -> to.answer(
                        id,
                        epoch,
                        wish,
                        answer -> world.send(to.id, id, back -> {
                            // Late and doubled answers get here, too.
                            if (back.follower == asking) {
                                take(asking, wish, answer, number);
                            }
                        })));
        world.after(host.life(), PATIENCE_NANOS, () -> fetched(number));
    }

    private void fetched(long number) {
        if (fetching == number) {
            fetchUnderWay = false;
        }
    }

    private void take(FollowerReplica asking, FollowerReplica.Wish wish, FollowerReplica.Fetched answer, long number) {
        asking.take(wish, answer, (none, failure) -> {
            if (truncatingTo < Long.MAX_VALUE && asking.wish() != null) {
                truncatingTo = Long.MAX_VALUE;
            }
            fetched(number);
        });
    }

    private interface Answer {
        void give(FollowerReplica.Fetched answer);
    }

    private void answer(int from, long epoch, FollowerReplica.Wish wish, Answer reply) {
        if (leader == null) {
            return;
        }
        ReadPartition ask = new ReadPartition(
                null, wish.leaderEpoch(), wish.fetchOffset(), wish.lastEpoch(), wish.logStartOffset(), 2_000);
        if (leader.followerFetches(from, epoch, ask) != null) {
            return;
        }
        leader.read(ask, 2_000, true, ReadBound.LOG_END, (outcome, none) -> {
            if (outcome.failure() != null) {
                return;
            }
            if (outcome.diverging() != null) {
                reply.give(new FollowerReplica.Fetched(ByteBuffer.allocate(0), outcome.diverging(), -1, -1));
                return;
            }
            reply.give(new FollowerReplica.Fetched(
                    ReplicaWorld.bytes(outcome.result()),
                    null,
                    outcome.result().highWatermark(),
                    outcome.result().logStartOffset()));
        });
    }

    void produce(ByteBuffer batch, short acks, Callback<Outcome<Produced>> done) {
        if (leader != null) {
            leader.produce(batch, new ReplicaShard.Produce(List.of(), null, acks, 1_500, (short) 12, null), done);
        }
    }
}
