package group;

import coordinator.Coordinator;

/** The coordinator of consumer groups on one loop: the partitions of __consumer_offsets whose storage shard is there. Implemented in node/. */
public interface GroupCoordinator extends Coordinator<GroupShard> {}
