package group;

/**
 * What came of the first step of a request that waits for an assignment: what its member says is recorded.
 *
 * @param epoch of the group then: a target for it, or a later one, is what is waited for
 * @param resubscribed the member subscribes to something else than before
 */
record FirstStep(String memberId, int epoch, boolean resubscribed) {}
