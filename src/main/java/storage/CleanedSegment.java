package storage;

import common.Mutations;
import java.io.IOException;
import java.nio.ByteBuffer;
import records.BatchHeader;
import records.BatchSummary;

/**
 * Writes the files that are to replace some segments, under Kafka's {@code .cleaned} names (rule K5), with indexes. Nothing looks at them before they are
 * durable and renamed by {@link SegmentSwap}. Handed from job to job.
 */
final class CleanedSegment {

    private final LogIdentity log;
    private final Segment segment;
    private final int indexInterval;
    private final boolean transactionIndex;
    private final ByteBuffer pending;
    private FileHandle file;
    private int flushed;

    /**
     * @param baseOffset that of the first segment to be replaced
     * @param transactionIndex write one even when it is empty: there is an old one to be replaced
     */
    CleanedSegment(
            LogIdentity log,
            long baseOffset,
            long createdMillis,
            int indexInterval,
            boolean transactionIndex,
            int bufferBytes) {
        this.log = log;
        this.segment = new Segment(baseOffset, createdMillis);
        this.segment.index = new IndexTail(baseOffset);
        this.indexInterval = indexInterval;
        this.transactionIndex = transactionIndex;
        this.pending = ByteBuffer.allocate(bufferBytes);
    }

    void open(FileSystem files) throws IOException {
        file = files.open(segment.path(log, SegmentFiles.LOG + SegmentSwap.CLEANED), FileSystem.Mode.CREATE);
        if (file.size() > 0) {
            file.truncate(0);
        }
    }

    /** Appends the batch of {@code size} bytes at {@code at}. */
    void add(ByteBuffer buffer, int at, int size) throws IOException {
        if (segment.size > Integer.MAX_VALUE - size) {
            throw new IOException("segment " + segment.baseOffset + " of " + log.directory()
                    + " would be larger than 2 GiB once it is cleaned: lower segment.bytes");
        }
        boolean empty = BatchHeader.recordCount(buffer, at) == 0;
        BatchSummary batch = BatchSummary.of(buffer, at);
        segment.onWritten(batch, empty ? -1 : batch.maxTimestamp(), indexInterval, Mutations.NONE);
        if (segment.firstTimestamp < 0 && !empty) {
            segment.firstTimestamp = batch.maxTimestamp();
        }
        ByteBuffer bytes = buffer.slice(at, size);
        if (pending.remaining() < size) {
            flush();
        }
        if (pending.remaining() < size) {
            write(bytes);
        } else {
            pending.put(bytes);
        }
    }

    void addAborted(CompletedTransaction transaction) {
        segment.addAborted(transaction);
    }

    /** Writes what has come of the transaction index, so that it does not gather in memory. */
    void fileAborted(FileSystem files) throws IOException {
        if (segment.aborted != null && segment.aborted.pendingBytes() > 0) {
            writeAborted(files, false);
        }
    }

    private void writeAborted(FileSystem files, boolean durable) throws IOException {
        TransactionTail.Filing filing = segment.aborted.filing(Long.MAX_VALUE);
        String path = segment.path(log, SegmentFiles.TRANSACTION_INDEX + SegmentSwap.CLEANED);
        PartitionFiles.writeIndex(
                files, path, filing.firstEntry(), TransactionIndex.ENTRY_BYTES, filing.entries(), true, durable);
        segment.aborted.filed(filing, durable);
    }

    private void flush() throws IOException {
        pending.flip();
        if (pending.hasRemaining()) {
            write(pending.duplicate());
        }
        pending.clear();
    }

    private void write(ByteBuffer bytes) throws IOException {
        int count = bytes.remaining();
        file.write(new ByteBuffer[] {bytes}, 1, flushed);
        flushed += count;
    }

    /** Makes all files durable (their names not yet). The segment, as its log will know it. */
    Segment finish(FileSystem files) throws IOException {
        flush();
        file.sync();
        release();
        if (segment.maxTimestamp >= 0) {
            segment.index.addTime(segment.maxTimestamp, segment.maxTimestampOffset);
        }
        IndexTail.Filing filing = segment.index.filing();
        write(files, SegmentFiles.OFFSET_INDEX, OffsetIndex.ENTRY_BYTES, filing.offsetEntries());
        write(files, SegmentFiles.TIME_INDEX, TimeIndex.ENTRY_BYTES, filing.timeEntries());
        if (segment.aborted != null) {
            writeAborted(files, true);
        } else if (transactionIndex) {
            write(files, SegmentFiles.TRANSACTION_INDEX, TransactionIndex.ENTRY_BYTES, ByteBuffer.allocate(0));
        }
        segment.index = null;
        segment.made = true;
        segment.nameDurable = true;
        segment.assignedSize = segment.size;
        return segment;
    }

    private void write(FileSystem files, String suffix, int entryBytes, ByteBuffer entries) throws IOException {
        String path = segment.path(log, suffix + SegmentSwap.CLEANED);
        PartitionFiles.writeIndex(files, path, 0, entryBytes, entries, true, true);
    }

    private void release() {
        FileHandle open = file;
        file = null;
        if (open != null) {
            open.release();
        }
    }

    /** Takes the files away; no further use. */
    void abandon(FileSystem files) throws IOException {
        release();
        for (String suffix : SegmentFiles.ALL) {
            files.delete(segment.path(log, suffix + SegmentSwap.CLEANED));
        }
    }
}
