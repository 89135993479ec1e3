package group;

/**
 * In whose name offsets are committed.
 *
 * @param memberId "" for none
 * @param instanceId null for none
 * @param epoch generation of a classic member, member epoch of KIP-848, -1 for none
 * @param transactional a TxnOffsetCommit
 */
public record CommitClaim(String memberId, String instanceId, int epoch, boolean transactional, short apiVersion) {}
