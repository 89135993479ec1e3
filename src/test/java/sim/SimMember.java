package sim;

import java.util.List;

/**
 * A process with a member of a group: takes part by heartbeats, commits and reads offsets. It freezes past its session and comes back as if nothing had been,
 * leaves with or without a word, and loses its connection. What the member says and hears is its protocol's.
 */
abstract class SimMember implements SimGroup.Member {
    final SimNet net;
    final SimRandom random;
    final String name;
    final SimGroup group;
    final SimCoordination control;
    final SimOffsets offsets;
    String memberId = "";
    /** A request is unanswered. */
    boolean busy;

    private boolean sleeping;
    private boolean misbehaving = true;
    private boolean stopped;
    private long notBefore;

    SimMember(SimNet net, SimRandom random, String name, SimGroup group) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.group = group;
        this.control = new SimCoordination(net, random, name, group.id, () -> busy = false);
        this.offsets = new SimOffsets(net, random, group, name + "/offsets");
    }

    // ---- what is the protocol's

    /** Joins, or goes on. */
    abstract void takePart();

    /** Another process takes its place, which knows nothing. */
    abstract void beginAnew();

    abstract boolean mayLeave();

    abstract void sayGoodbye();

    /** As whom it commits. */
    abstract SimOffsets.Identity who();

    abstract boolean mayCommit();

    /** As whom it reads offsets; null: as anybody. */
    abstract SimOffsets.Identity reader();

    /** Why {@code who} must not commit for a partition now; null when it may. */
    abstract String forbidden(SimOffsets.Identity who, String partition);

    // ---- what the world sees

    @Override
    public final void start() {
        control.start();
        offsets.start();
        beat();
        work();
    }

    @Override
    public final void quiesce() {
        misbehaving = false;
        sleeping = false;
    }

    @Override
    public final String unfinished() {
        return offsets.open() > 0 ? name + " waits for an answer about offsets" : null;
    }

    @Override
    public final void stop() {
        stopped = true;
        control.stop();
        offsets.stop();
    }

    @Override
    public final String memberId() {
        return memberId;
    }

    // ---- taking part

    private void beat() {
        if (stopped) {
            return;
        }
        long wait = 1L + random.below(2 * group.spec.heartbeatMillis());
        net.scheduler().after(wait * SimScheduler.MILLI, null, "member", () -> {
            if (!stopped && !sleeping && misbehaving && random.chance(0.03)) {
                misbehave();
            }
            if (net.scheduler().now() >= notBefore) {
                takePartIfFree();
            }
            beat();
        });
    }

    final void soon() {
        net.scheduler().after((1 + random.below(50)) * SimScheduler.MILLI, null, "member-soon", this::takePartIfFree);
    }

    private void takePartIfFree() {
        if (!stopped && !sleeping && !busy && control.ready()) {
            takePart();
        }
    }

    /** It was told to stand back. */
    final void pause() {
        notBefore = net.scheduler().now() + random.below(300) * SimScheduler.MILLI;
    }

    final boolean misbehaving() {
        return misbehaving;
    }

    final boolean stopped() {
        return stopped;
    }

    private void misbehave() {
        int session = group.spec.sessionMillis();
        switch (random.below(5)) {
            case 0, 1 -> {
                net.count("member.freezes");
                sleep(session / 2 + random.below(2 * session));
            }
            case 2 -> leave();
            case 3 -> {
                // As a process that was killed: nobody hears of it, and another one begins in its place.
                net.count("member.dies");
                control.link().disconnect();
                haunt(owned());
                beginAnew();
                sleep(random.below(2 * session));
            }
            default -> control.link().disconnect();
        }
    }

    private void leave() {
        if (!mayLeave() || busy || !control.ready()) {
            return;
        }
        net.count("member.leaves");
        sayGoodbye();
        haunt(owned());
        beginAnew();
        sleep(random.below(2 * group.spec.sessionMillis()));
    }

    private void sleep(int millis) {
        sleeping = true;
        net.scheduler().after(millis * SimScheduler.MILLI, null, "member-awakes", () -> sleeping = false);
    }

    /** What it is now commits once more, later, for what it {@code had}. */
    final void haunt(List<String> had) {
        if (had.isEmpty()) {
            return;
        }
        SimOffsets.Identity was = who();
        long delay = random.below(3 * group.spec.sessionMillis()) * SimScheduler.MILLI;
        net.scheduler().after(delay, null, "zombie", () -> {
            if (!stopped) {
                net.count("member.zombie-commits");
                offsets.commit(was, offsets.some(had), this::forbidden, error -> {});
            }
        });
    }

    // ---- offsets

    /** Also while it sleeps: a thread of a frozen process that goes on, or a request that was under way for long. */
    private void work() {
        if (stopped) {
            return;
        }
        net.scheduler().after((10 + random.below(200)) * SimScheduler.MILLI, null, "member-works", () -> {
            if (!stopped && (!sleeping || random.chance(0.3))) {
                if (random.chance(0.3)) {
                    offsets.read(reader());
                } else if (mayCommit()) {
                    offsets.commit(who(), offsets.some(owned()), this::forbidden, error -> {});
                }
            }
            work();
        });
    }
}
