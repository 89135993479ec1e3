package storage;

import common.Callback;
import java.nio.ByteBuffer;
import records.BatchSummary;

/**
 * A batch (or the answer to a duplicate) on its way to the disk.
 *
 * @param buffer null for a duplicate: it waits for the batches before it and is answered with its original
 * @param done null for all but the last batch of a call
 */
record QueuedBatch(
        ByteBuffer buffer, BatchSummary summary, Segment segment, AppendResult result, Callback<AppendResult> done) {

    int size() {
        return buffer == null ? 0 : summary.sizeInBytes();
    }
}
