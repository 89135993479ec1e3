package storage;

/** A producer known to a partition, as DescribeProducers shows it. Start offset -1: no open transaction. */
public record ActiveProducer(
        long producerId,
        short producerEpoch,
        int lastSequence,
        long lastTimestampMillis,
        int coordinatorEpoch,
        long currentTransactionStartOffset) {}
