/**
 * The coordinator runtime: state machines over internal partitions that <em>answer, then replay</em>. A request yields records and an answer; the records are
 * replayed into the shard's state at once and appended; the answer, and every answer given after it, waits until they are committed. When an append fails, the
 * shard's state is thrown away and loaded again from its log, so that nothing uncommitted survives; a new leader does the same.
 *
 * <p>Owner: one {@link coordinator.Coordinator} per event loop, for the internal partitions whose storage shard is on that loop. Ports: Clock, Timers, and the
 * partition's log behind {@link coordinator.PartitionStore}. Start with {@link coordinator.CoordinatorShard} and {@link coordinator.Result}.
 */
package coordinator;
