package node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import coordinator.PartitionStore.Piece;
import coordinator.RecordCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import records.BatchHeader;
import records.Codec;
import records.MalformedRecordException;
import storage.FileHandle;
import storage.FileRange;

/** Decoding a coordinator's log when some of it is not what was written. */
final class LoadPieceTest {
    private final ByteBuffer file = ByteBuffer.allocate(10_000);
    private long end;

    /** Records as text; "bad" is malformed, "?" unknown. */
    private static final RecordCodec<String> TEXT = new RecordCodec<>() {
        @Override
        public ByteBuffer key(String record) {
            throw new AssertionError();
        }

        @Override
        public ByteBuffer value(String record) {
            throw new AssertionError();
        }

        @Override
        public String decode(ByteBuffer key, ByteBuffer value) {
            String text = StandardCharsets.UTF_8.decode(key.duplicate()).toString();
            if (text.equals("bad")) {
                throw new MalformedRecordException("planted");
            }
            return text.equals("?") ? null : text;
        }
    };

    /** Returns where the batch begins. */
    private int batch(String... keys) {
        BatchBuilder builder = new BatchBuilder(Codec.NONE, end, 0);
        for (String key : keys) {
            builder.add(1, key.getBytes(StandardCharsets.UTF_8), null);
        }
        int at = file.position();
        file.put(builder.build());
        end += keys.length;
        return at;
    }

    private Piece<String> load(long from, int length) throws IOException {
        byte[] content = file.array();
        FileHandle handle = new FileHandle() {
            @Override
            public String path() {
                return "log";
            }

            @Override
            public int read(ByteBuffer target, long position) {
                int count = (int) Math.min(target.remaining(), content.length - position);
                target.put(content, (int) position, count);
                return count;
            }

            @Override
            public void write(ByteBuffer[] sources, int count, long position) {
                throw new AssertionError();
            }

            @Override
            public void sync() {
                throw new AssertionError();
            }

            @Override
            public void truncate(long size) {
                throw new AssertionError();
            }

            @Override
            public long size() {
                return content.length;
            }

            @Override
            public void preallocate(long size) {
                throw new AssertionError();
            }

            @Override
            public boolean retain() {
                return true;
            }

            @Override
            public void release() {}
        };
        return new LoadPiece<>(new FileRange(handle, 0, length), from, end, TEXT).run(null);
    }

    @Test
    void readsFromTheMiddleOfABatchToTheCut() throws IOException {
        batch("a", "b", "?");
        batch("c");
        int third = batch("d");
        Piece<String> piece = load(1, third + 30);
        assertEquals(new Piece<>(List.of("b", "c"), 4, 5, third + 30, 1, List.of()), piece);
    }

    @Test
    void passesOverABatchWithAWrongChecksum() throws IOException {
        batch("a");
        int second = batch("b", "c");
        batch("d");
        file.put(second + BatchHeader.SIZE + 2, (byte) 99);
        Piece<String> piece = load(0, file.position());
        assertEquals(List.of("a", "d"), piece.records());
        assertEquals(4, piece.nextOffset());
        assertEquals(List.of("offsets 1 to 2: no valid batch is there"), piece.losses());
    }

    @Test
    void findsTheNextBatchBehindAHeaderThatLies() throws IOException {
        batch("a");
        int second = batch("b");
        batch("c");
        for (int length : new int[] {0, -5, 1 << 30, 60}) {
            file.putInt(second + BatchHeader.LENGTH, length);
            Piece<String> piece = load(0, file.position());
            if (length == 1 << 30) {
                // It may be a batch that the range cuts: asked for again, it begins the range.
                assertEquals(List.of("a"), piece.records());
                assertEquals(1, piece.nextOffset());
            } else {
                assertEquals(List.of("a", "c"), piece.records(), "length " + length);
                assertEquals(1, piece.losses().size());
            }
        }
    }

    @Test
    void aLyingHeaderAtTheRangesStartIsPassedOver() throws IOException {
        int first = batch("a");
        batch("b");
        file.putInt(first + BatchHeader.LENGTH, 1 << 30);
        Piece<String> piece = load(0, file.position());
        assertEquals(List.of("b"), piece.records());
        assertEquals(2, piece.nextOffset());
    }

    @Test
    void malformedRecordsAreLostAlone() throws IOException {
        batch("a", "bad", "b");
        Piece<String> piece = load(0, file.position());
        assertEquals(List.of("a", "b"), piece.records());
        assertEquals(List.of("the record at offset 1 is malformed: planted"), piece.losses());
    }

    @Test
    void nothingValidEndsTheLoad() throws IOException {
        int first = batch("a");
        file.put(first + BatchHeader.MAGIC, (byte) 0);
        Piece<String> piece = load(0, file.position());
        assertEquals(0, piece.nextOffset());
        assertEquals(List.of("from offset 0 on, 69 bytes without a valid batch"), piece.losses());
    }
}
