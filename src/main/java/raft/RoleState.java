package raft;

/** What a replica does while it is in one role and epoch. Made by {@link Roles}, dropped when the role or the epoch changes. */
abstract class RoleState {
    final Quorum quorum;
    final Roles roles;
    final Calls calls;

    RoleState(Quorum quorum, Roles roles) {
        this.quorum = quorum;
        this.roles = roles;
        this.calls = new Calls(quorum.out, quorum.timeouts());
    }

    abstract RaftOutput.Role role();

    /** Does what is due or has become possible. Called before and after each input. */
    abstract void tick(long now);

    /** When something will be due; Long.MAX_VALUE: nothing by itself. */
    abstract long wakeAt();

    /** An answer to one of its requests; what its head says of the epoch and the leader has been taken in and left this role in place. */
    void answered(long now, Calls.Call call, RaftResponse response) {}

    /** One of its requests will have no answer. */
    void lost(long now, Calls.Call call) {
        calls.pause(call.peer().id(), now + quorum.timeouts().retryBackoff());
    }

    /** Something is known of whether the leader lives. */
    void leaderGone(long now) {}

    /** The role ends. */
    void left() {}
}
