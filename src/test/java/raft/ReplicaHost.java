package raft;

import common.Check;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** One life of a node's process: does what the machine asks for, on its disk and in its world. */
final class ReplicaHost {
    private static final int READ_AT_MOST = 5;
    private static final int PIECE = 150;

    private final World world;
    private final ReplicaDisk disk;
    private final RaftNode node;
    private final Deque<Job> jobs = new ArrayDeque<>();
    private ByteBuffer download;
    private RaftOutput last;
    private boolean working;
    private boolean syncing;
    private int cuts;
    private VoteState votePending;
    private boolean alive = true;

    /** Where it runs. */
    interface World {
        long now(ReplicaHost host);

        /** Runs the action some time later, unless the host has died by then. */
        void disk(ReplicaHost host, String what, Runnable action);

        void send(ReplicaHost from, RaftOutput.Send send);

        void reply(ReplicaHost from, RaftOutput.Reply reply);

        void wakeAt(ReplicaHost host, long instant);

        /** Before what the machine said is done. */
        void observe(ReplicaHost host, RaftOutput before, RaftOutput output);

        /** The log has new records from this offset on. */
        void appended(ReplicaHost host, long from);
    }

    private record Job(String what, boolean leaders, Runnable action) {}

    ReplicaHost(World world, ReplicaDisk disk, RaftNode.Setup setup) {
        this.world = world;
        this.disk = disk;
        this.node = new RaftNode(setup, disk.vote(), disk, disk.voters());
    }

    void start(long damagedFrom) {
        took(node.start(world.now(this), damagedFrom));
    }

    ReplicaDisk disk() {
        return disk;
    }

    RaftNode node() {
        return node;
    }

    RaftOutput last() {
        return last;
    }

    int id() {
        return disk.key.id();
    }

    boolean alive() {
        return alive;
    }

    RaftOutput.Role role() {
        return last.standing().role();
    }

    /** The process is gone; what was on its way to the disk may have arrived ({@code voteArrives}) or not. */
    void die(boolean voteArrives, long kept) {
        alive = false;
        if (voteArrives && votePending != null) {
            disk.vote(votePending);
        }
        disk.crash(kept);
    }

    long now() {
        return world.now(this);
    }

    void tick() {
        took(node.tick(now()));
    }

    void request(long token, RaftRequest request) {
        took(node.request(now(), token, request));
    }

    void response(long correlation, RaftResponse response) {
        took(node.response(now(), correlation, response));
    }

    void failed(long correlation) {
        took(node.failed(now(), correlation));
    }

    void processGone(int id) {
        took(node.processGone(now(), id));
    }

    void resign() {
        took(node.resign(now()));
    }

    /** A record of a client of the active controller; false when this is not it. */
    boolean propose(long value) {
        if (!node.leads() || disk.end().epoch() != node.epoch()) {
            return false;
        }
        Entry entry = new Entry(node.epoch(), value, null);
        job("propose", true, () -> append(List.of(entry)));
        return true;
    }

    /** Takes a snapshot of what is committed; false when there is nothing new. */
    boolean snapshot() {
        long end = Math.min(last.highWatermark(), disk.end().offset());
        OffsetAndEpoch newest = disk.snapshot();
        if (end <= Math.max(disk.start().offset(), newest == null ? 0 : newest.offset())) {
            return false;
        }
        OffsetAndEpoch id = new OffsetAndEpoch(end, disk.epochAt(end - 1));
        disk.addSnapshot(new ReplicaDisk.Snapshot(id, disk.hash(end), node.votersBefore(end)));
        return true;
    }

    /** The log begins at the newest snapshot. */
    void shorten() {
        if (disk.snapshot() != null && disk.snapshot().offset() > disk.start().offset()) {
            disk.deleteBefore(disk.snapshot());
        }
    }

    private void took(RaftOutput output) {
        RaftOutput before = last;
        last = output;
        if (output.persist() != null) {
            Check.invariant(votePending == null, "two writes of the vote at once");
            votePending = output.persist();
        }
        world.observe(this, before, output);
        if (output.persist() != null) {
            VoteState state = output.persist();
            world.disk(this, "vote", () -> {
                disk.vote(state);
                votePending = null;
                took(node.votePersisted(now(), state));
            });
        }
        output.tasks().forEach(this::task);
        output.sends().forEach(each -> world.send(this, each));
        output.replies().forEach(each -> world.reply(this, each));
        world.wakeAt(this, last.wakeAt());
    }

    private void task(RaftOutput.LogTask task) {
        if (task instanceof RaftOutput.AppendLeaderChange change) {
            Entry entry = Entry.leaderChange(change.epoch());
            job("leader change", true, () -> append(List.of(entry)));
        } else if (task instanceof RaftOutput.AppendVoters change) {
            Entry entry = new Entry(change.epoch(), 0, change.voters());
            job("voters", true, () -> append(List.of(entry)));
        } else if (task instanceof RaftOutput.AppendFetched fetched) {
            ByteBuffer records = fetched.records();
            job("fetched", false, () -> append(Entry.decode(records, disk.end().offset())));
        } else if (task instanceof RaftOutput.Truncate cut) {
            long end = cut.end();
            job("truncate", false, () -> {
                cuts++;
                disk.truncate(end);
                took(node.truncated(now(), disk.end()));
            });
        } else if (task instanceof RaftOutput.Read read) {
            world.disk(this, "read", () -> {
                List<Entry> found = disk.has(read.from()) ? disk.read(read.from(), read.bound(), READ_AT_MOST) : null;
                took(node.recordsRead(now(), read.token(), found == null ? null : Entry.encode(read.from(), found)));
            });
        } else {
            snapshotTask(task);
        }
    }

    private void snapshotTask(RaftOutput.LogTask task) {
        if (task instanceof RaftOutput.ReadSnapshot read) {
            world.disk(this, "read snapshot", () -> {
                ReplicaDisk.Snapshot found = disk.snapshot(read.snapshot());
                ByteBuffer all = found == null ? ByteBuffer.allocate(0) : found.encode();
                int from = (int) Math.min(read.position(), all.remaining());
                ByteBuffer piece = all.slice(from, Math.min(PIECE, all.remaining() - from));
                took(node.snapshotRead(now(), read.token(), found == null ? -1 : all.remaining(), piece));
            });
        } else if (task instanceof RaftOutput.WriteSnapshot write) {
            job("write snapshot", false, () -> {
                if (write.position() == 0) {
                    download = ByteBuffer.allocate(1_000);
                }
                download.put(write.bytes().duplicate());
                took(node.snapshotWritten(now(), write.snapshot(), download.position()));
            });
        } else {
            OffsetAndEpoch snapshot = ((RaftOutput.InstallSnapshot) task).snapshot();
            job("install snapshot", false, () -> {
                ReplicaDisk.Snapshot found =
                        ReplicaDisk.Snapshot.decode(download.duplicate().flip());
                Check.invariant(found.end().equals(snapshot), "another snapshot than was fetched");
                cuts++;
                disk.install(found);
                took(node.snapshotInstalled(now(), snapshot, found.voters()));
            });
        }
    }

    private void append(List<Entry> entries) {
        long from = disk.end().offset();
        List<VotersAt> found = new ArrayList<>();
        for (Entry each : entries) {
            if (each.voters() != null) {
                found.add(new VotersAt(disk.end().offset(), each.voters()));
            }
            disk.append(each);
        }
        world.appended(this, from);
        took(node.appended(now(), disk.end(), found));
        sync();
    }

    /** One at a time; what is appended meanwhile shares the next. */
    private void sync() {
        if (syncing || disk.durableEnd() >= disk.end().offset()) {
            return;
        }
        syncing = true;
        long end = disk.end().offset();
        int cut = cuts;
        world.disk(this, "sync", () -> {
            syncing = false;
            if (cut == cuts) {
                disk.sync(end);
            }
            took(node.durable(now(), disk.durableEnd()));
            sync();
        });
    }

    private void job(String what, boolean leaders, Runnable action) {
        jobs.addLast(new Job(what, leaders, action));
        work();
    }

    private void work() {
        disk.writing(jobs.stream().anyMatch(Job::leaders));
        if (working || jobs.isEmpty()) {
            return;
        }
        working = true;
        Job job = jobs.peekFirst();
        world.disk(this, job.what, () -> {
            jobs.removeFirst();
            working = false;
            disk.writing(jobs.stream().anyMatch(Job::leaders));
            job.action.run();
            work();
        });
    }
}
