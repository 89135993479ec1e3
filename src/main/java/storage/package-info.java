/**
 * The log of a partition on disk, in Kafka's file formats: segments, indexes, producer states, epochs, checkpoints; append
 * with group commit, recovery, retention, compaction (rules S1-S13, P1-P4, K1-K6). Owner thread: the storage shard; blocking work is a
 * {@link storage.DiskJob} against the {@link storage.FileSystem} port, which {@link storage.DiskExecutor} runs elsewhere.
 * Start reading at {@link storage.PartitionLog}, then {@link storage.SegmentedLog}; for starts, {@link storage.LogDirectory}
 * and {@link storage.Recovery}; for compaction, {@link storage.LogCleaner}, {@link storage.LogCompaction} and {@link storage.SegmentSwap}.
 */
package storage;
