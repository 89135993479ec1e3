package raft;

import java.util.ArrayList;
import java.util.List;

/** Knows no leader to follow: asks others for one by Fetch, and a voter stands when its time is up. */
final class UnattachedRole extends RoleState {
    private final long standAt;
    private long probeAt = Long.MIN_VALUE;

    /** @param standAt when a voter asks for pre-votes */
    UnattachedRole(Quorum quorum, Roles roles, long standAt) {
        super(quorum, roles);
        this.standAt = standAt;
    }

    @Override
    RaftOutput.Role role() {
        return RaftOutput.Role.UNATTACHED;
    }

    long standAt() {
        return standAt;
    }

    @Override
    void tick(long now) {
        if (standAt <= now && quorum.mayStand()) {
            roles.prospective(now);
        } else if (calls.idle() && probeAt <= now && quorum.mayFetch()) {
            List<Peer> peers = peers();
            if (!peers.isEmpty()) {
                calls.send(now, peers.get(quorum.setup.random().below(peers.size())), quorum.fetch(0));
            }
            probeAt = now + quorum.timeouts().jitter();
        }
    }

    /** All who may know the leader. */
    private List<Peer> peers() {
        List<Peer> peers = new ArrayList<>();
        quorum.otherVoters().forEach(each -> peers.add(each.peer()));
        for (int i = 0; i < quorum.setup.bootstrap().size(); i++) {
            peers.add(new Peer(-2 - i, List.of(quorum.setup.bootstrap().get(i))));
        }
        return peers;
    }

    @Override
    long wakeAt() {
        long stand = quorum.mayStand() ? standAt : Long.MAX_VALUE;
        return Math.min(stand, calls.idle() && quorum.mayFetch() ? probeAt : calls.deadline());
    }
}
