/**
 * Consumer groups: one {@link group.GroupShard} per partition of {@code __consumer_offsets} on the coordinator runtime. Both protocols (classic JoinGroup, and
 * KIP-848's ConsumerGroupHeartbeat), committed offsets and their expiry, listing and deletion. Rules G1 to G10.
 *
 * <p>Owner: the coordinator of its loop. Ports: those of {@link coordinator.ShardContext}. Start with {@link group.GroupShard}.
 */
package group;
