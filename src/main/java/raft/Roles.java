package raft;

import common.Check;
import java.util.List;

/**
 * The role in force, and the ways from one to another:
 *
 * <pre>
 *   UNATTACHED --time is up--> PROSPECTIVE --majority of pre-votes--> CANDIDATE --majority of votes--> LEADER --resigns--> RESIGNED
 *       ^  \                     |      ^                               |                                                   |
 *       |   `--leader known--> FOLLOWER-'<--refused, leader known       `--lost: waits as UNATTACHED          UNATTACHED <--'
 *       `--------------------- higher epoch seen, from every role
 * </pre>
 */
final class Roles {
    private static final int MOST_CHANGES = 8;

    private final Quorum quorum;
    private RoleState current;
    private boolean halted;

    Roles(Quorum quorum) {
        this.quorum = quorum;
        this.current = new UnattachedRole(quorum, this, Long.MAX_VALUE);
    }

    RoleState current() {
        return current;
    }

    /** Null unless this replica leads. */
    LeaderRole leader() {
        return current instanceof LeaderRole leader ? leader : null;
    }

    void tick(long now) {
        RoleState before;
        int changes = 0;
        do {
            Check.invariant(changes++ < MOST_CHANGES, "roles change without end");
            before = current;
            for (Calls.Call call : before.calls.expired(now)) {
                before.lost(now, call);
            }
            before.tick(now);
        } while (before != current);
    }

    private void become(RoleState next) {
        if (halted) {
            return;
        }
        RoleState before = current;
        current = next;
        before.left();
    }

    /** The first role after a start: what is on disk says whom to follow. */
    void start(long now) {
        int leader = quorum.leaderId();
        if (leader >= 0 && leader != quorum.self().id()) {
            become(new FollowerRole(quorum, this, now));
        } else {
            // Pre-votes disturb nobody: the first comes soon.
            boolean alone = quorum.isVoter() && quorum.voters.latest().size() == 1;
            waitUntil(alone ? now : now + quorum.random(quorum.timeouts().election() / 2));
        }
    }

    /** Without a leader until something is heard; stands at {@code instant}. */
    void waitUntil(long instant) {
        become(new UnattachedRole(quorum, this, instant));
    }

    /** Rule R14: a higher epoch has been seen; nothing of it is known but that it is. */
    void newEpoch(long now, int epoch) {
        long standAt = current instanceof UnattachedRole waiting ? waiting.standAt() : now + electionWait();
        quorum.persist(quorum.vote().inEpoch(epoch, -1));
        waitUntil(standAt);
    }

    /** In [1, 2] times the election timeout. */
    long electionWait() {
        int timeout = quorum.timeouts().election();
        return timeout + quorum.random(timeout);
    }

    /**
     * Takes in what a message says of its sender's epoch and leader. Whether this replica's role is still the same. One that doubts its leader learns nothing
     * from others who name it, who may even grant a pre-vote in the same answer.
     *
     * @param leaderId -1: unknown
     */
    boolean learn(long now, int epoch, int leaderId, List<Endpoint> endpoints) {
        RoleState before = current;
        boolean other = leaderId >= 0 && leaderId != quorum.self().id();
        if (epoch > quorum.epoch()) {
            if (other) {
                follow(now, epoch, leaderId, endpoints);
            } else {
                newEpoch(now, epoch);
            }
        } else if (epoch == quorum.epoch() && other) {
            boolean doubts = current instanceof ProspectiveRole || quorum.leaderGone(now);
            boolean doubted = quorum.leaderId() == leaderId && doubts;
            if (!(current instanceof FollowerRole) && !doubted) {
                follow(now, epoch, leaderId, endpoints);
            } else {
                oneLeader(leaderId);
                quorum.leaderListensAt(endpoints);
            }
        }
        return before == current;
    }

    private void oneLeader(int leaderId) {
        int known = quorum.leaderId();
        Check.invariant(known < 0 || known == leaderId, "two leaders of one epoch (R2)", known, leaderId);
        boolean led = current instanceof LeaderRole || current instanceof ResignedRole;
        Check.invariant(!led, "another leads the epoch that this replica leads (R2)", leaderId, quorum.epoch());
    }

    void follow(long now, int epoch, int leaderId, List<Endpoint> endpoints) {
        if (epoch > quorum.epoch()) {
            quorum.persist(quorum.vote().inEpoch(epoch, leaderId));
        } else {
            oneLeader(leaderId);
            if (quorum.leaderId() != leaderId) {
                quorum.persist(quorum.vote().led(leaderId));
            }
        }
        quorum.leaderListensAt(endpoints);
        become(new FollowerRole(quorum, this, now));
    }

    /** Back to the leader that was thought dead. */
    void followAgain(long now) {
        become(new FollowerRole(quorum, this, now));
    }

    /** Asks whether it could win (rule R4). */
    void prospective(long now) {
        Check.invariant(quorum.mayStand(), "stands while it must not");
        if (quorum.mutated("raft-no-pre-vote")) {
            candidate(now);
        } else {
            become(new ProspectiveRole(quorum, this, now));
        }
    }

    void candidate(long now) {
        int epoch = Math.addExact(quorum.epoch(), 1);
        quorum.persist(quorum.vote().inEpoch(epoch, -1).votedFor(quorum.self()));
        become(new CandidateRole(quorum, this, now));
    }

    /** Lost, or no verdict came: waits for a random while, longer each time. */
    void electionLost(long now) {
        quorum.electionLost();
        waitUntil(now + quorum.random(quorum.timeouts().backoff(quorum.lostElections())));
    }

    void lead(long now, List<Integer> granting) {
        quorum.electionsOver();
        quorum.leads(true);
        become(new LeaderRole(quorum, this, now, granting));
    }

    /** Stops leading, now, and tells the voters. */
    void resign(long now) {
        LeaderRole leader = leader();
        if (leader != null) {
            quorum.leads(false);
            become(new ResignedRole(quorum, this, now, leader.successors()));
        }
    }

    /** As {@link #resign}, and does nothing more, ever. Who did not lead has nothing to tell. */
    void halt(long now) {
        resign(now);
        if (!(current instanceof ResignedRole)) {
            become(new ResignedRole(quorum, this, now, null));
        }
        halted = true;
    }

    boolean halted() {
        return halted;
    }
}
