package cli;

import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;

/** Sees the valid batches of a log, in order. */
interface BatchCheck {
    void batch(FileChannelRecordBatch batch);
}
