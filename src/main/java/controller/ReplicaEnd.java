package controller;

import org.apache.kafka.common.Uuid;

/** Where a replica's log ends: the epoch of its last record, -1 when it is empty, and the offset after it. */
public record ReplicaEnd(Uuid topicId, int partition, int lastEpoch, long endOffset) {}
