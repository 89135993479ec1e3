package node;

import coordinator.PartitionStore.Mark;
import coordinator.PartitionStore.Piece;
import coordinator.RecordCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import records.BatchHeader;
import records.BatchReader;
import records.BatchSummary;
import records.LogRecord;
import records.MalformedRecordException;
import storage.DiskJob;
import storage.FileRange;
import storage.FileSystem;

/**
 * Reads and decodes a range of an internal partition, on a worker. A batch that cannot be read is passed over with all up to the next sound one; what was
 * lost is told.
 *
 * @param range the caller's to release
 * @param from records below it are left out
 * @param endOffset of the log
 */
record LoadPiece<R>(FileRange range, long from, long endOffset, RecordCodec<R> codec) implements DiskJob<Piece<R>> {
    private static final int LOSSES_TOLD = 20;

    @Override
    public Piece<R> run(FileSystem files) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(range.length());
        while (bytes.hasRemaining()) {
            if (range.file().read(bytes, range.position() + bytes.position()) < 0) {
                throw new IOException("the file ended while it was read");
            }
        }
        return new Decoding<>(bytes.flip(), this).run();
    }

    private static final class Decoding<R> implements BatchReader.Visitor {
        private final ByteBuffer bytes;
        private final LoadPiece<R> piece;
        private final BatchReader reader = new BatchReader();
        private final List<R> records = new ArrayList<>();
        private final List<String> losses = new ArrayList<>();
        private final List<Mark> marks = new ArrayList<>();
        private boolean isTransactional;
        private long next;
        private int unknown;
        private int untold;

        Decoding(ByteBuffer bytes, LoadPiece<R> piece) {
            this.bytes = bytes;
            this.piece = piece;
            this.next = piece.from;
        }

        Piece<R> run() {
            int at = 0;
            while (bytes.limit() - at >= BatchHeader.SIZE) {
                if (isSound(at)) {
                    at = read(at);
                } else if (at > 0 && BatchHeader.isPlausible(bytes, at) && !BatchHeader.isFramed(bytes, at)) {
                    // The range ends inside of it; what it says of its length is looked at when it begins a range.
                    break;
                } else {
                    at = skipFrom(at);
                }
            }
            if (untold > 0) {
                losses.add(untold + " more places");
            }
            return new Piece<>(records, next, piece.endOffset, bytes.limit(), unknown, losses, marks);
        }

        private boolean isSound(int at) {
            return BatchHeader.isFramed(bytes, at)
                    && BatchHeader.nextOffset(bytes, at) > next
                    && BatchHeader.isCrcValid(bytes, at);
        }

        private int read(int at) {
            int size = BatchHeader.sizeInBytes(bytes, at);
            if (reader.read(bytes.slice(at, size), this) != null) {
                lost("the records of the batch at offset " + BatchHeader.baseOffset(bytes, at) + " cannot be read");
            }
            next = BatchHeader.nextOffset(bytes, at);
            return at + size;
        }

        private int skipFrom(int bad) {
            for (int at = bad + 1; bytes.limit() - at >= BatchHeader.SIZE; at++) {
                if (isSound(at) && BatchHeader.baseOffset(bytes, at) >= next) {
                    long found = BatchHeader.baseOffset(bytes, at);
                    lost("offsets " + next + " to " + (found - 1) + ": no valid batch is there");
                    return at;
                }
            }
            lost("from offset " + next + " on, " + (bytes.limit() - bad) + " bytes without a valid batch");
            return bytes.limit();
        }

        @Override
        public boolean batch(ByteBuffer buffer, int at) {
            BatchSummary summary = BatchSummary.of(buffer, at);
            if (summary.control()) {
                if (summary.marker() != null) {
                    mark(summary, summary.marker().commit() ? Mark.Kind.COMMIT : Mark.Kind.ABORT);
                }
                return false;
            }
            if (summary.transactional()) {
                mark(summary, Mark.Kind.TRANSACTIONAL);
            } else if (isTransactional) {
                marks.add(Mark.plain(records.size()));
            }
            isTransactional = summary.transactional();
            return true;
        }

        private void mark(BatchSummary batch, Mark.Kind kind) {
            marks.add(new Mark(records.size(), batch.producerId(), batch.producerEpoch(), kind));
        }

        @Override
        public boolean record(LogRecord record) {
            if (record.offset() < piece.from) {
                return true;
            }
            try {
                R decoded = record.key() == null ? null : piece.codec.decode(record.key(), record.value());
                if (decoded == null) {
                    unknown++;
                } else {
                    records.add(decoded);
                }
            } catch (MalformedRecordException e) {
                lost("the record at offset " + record.offset() + " is malformed: " + e.getMessage());
            }
            return true;
        }

        private void lost(String what) {
            if (losses.size() < LOSSES_TOLD) {
                losses.add(what);
            } else {
                untold++;
            }
        }
    }
}
