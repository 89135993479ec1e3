package records;

/** A record of a refused batch, by its index in the batch (from 0), with the reason (Produce v8+, KIP-467). */
public record RecordError(int batchIndex, String message) {}
