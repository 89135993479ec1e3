package protocol;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Cuts the bytes of a connection into frames (4 bytes of length, then the request). Pull based, so that whoever drives it can stop at any frame. A frame
 * that lies within one chunk is a slice of it, not a copy; one that spans chunks is gathered into a buffer that grows with what has arrived, never with
 * what is announced (at most four times the arrived bytes, from 16 KiB). Not thread safe.
 */
final class FrameDecoder {
    private static final int FIRST_CAPACITY = 16 * 1024;
    private static final int GROWTH = 4;

    private final BufferPool pool;
    private final int maxBytes;
    private final String noun;
    private final String limit;
    private final ArrayDeque<Chunk> input = new ArrayDeque<>(4);
    /** Length of the frame being read; -1 while its length is. */
    private int size = -1;

    private int lengthBytes;
    private int lengthSoFar;
    private Chunk gathered;
    private int capacity;
    private String failure;

    /**
     * @param maxBytes largest frame, > 0
     * @param noun what a frame is, with its article, for people
     * @param limit what sets {@code maxBytes}, for people
     */
    FrameDecoder(BufferPool pool, int maxBytes, String noun, String limit) {
        this.pool = pool;
        this.maxBytes = maxBytes;
        this.noun = noun;
        this.limit = limit;
    }

    /** Adds bytes; takes over one reference of the chunk. */
    void feed(Chunk chunk) {
        input.add(chunk);
    }

    /** The next whole frame, null if there is none yet or {@link #failure()} tells that there will be none. The caller owns one reference. */
    FrameBuffer next() {
        while (failure == null) {
            Chunk chunk = input.peek();
            if (chunk == null) {
                return null;
            }
            ByteBuffer in = chunk.bytes();
            if (!in.hasRemaining()) {
                input.poll().release();
            } else if (size < 0) {
                readLength(in);
            } else if (gathered == null && in.remaining() >= size) {
                return slice(chunk, in);
            } else if (gather(in)) {
                return whole();
            }
        }
        return null;
    }

    /** Why the bytes are not frames, null while they are. Final. */
    String failure() {
        return failure;
    }

    /** Bytes of memory that the unfinished frame holds. */
    int held() {
        return gathered == null ? 0 : capacity;
    }

    /** Bytes that the unfinished frame still lacks; 0 between frames. */
    int missing() {
        return size < 0 ? 0 : size - (gathered == null ? 0 : gathered.bytes().position());
    }

    /** True if a frame was begun and is not whole. */
    boolean midFrame() {
        return size >= 0 || lengthBytes > 0;
    }

    /** True if bytes were fed that no frame took yet. */
    boolean hasInput() {
        for (Chunk chunk : input) {
            if (chunk.bytes().hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    /** True between frames, if there are no bytes of the next one or all of them in one piece: it needs no memory beyond theirs. */
    boolean atRestOrWhole() {
        if (midFrame()) {
            return false;
        }
        for (Chunk chunk : input) {
            ByteBuffer in = chunk.bytes();
            if (in.hasRemaining()) {
                return in.remaining() >= 4 && in.remaining() - 4 >= in.getInt(in.position());
            }
        }
        return true;
    }

    /** Releases everything; no use after this. */
    void close() {
        failure = "closed";
        while (!input.isEmpty()) {
            input.poll().release();
        }
        if (gathered != null) {
            gathered.release();
            gathered = null;
        }
    }

    private void readLength(ByteBuffer in) {
        if (lengthBytes == 0 && in.remaining() >= 4) {
            begin(in.getInt());
            return;
        }
        lengthSoFar = (lengthSoFar << 8) | (in.get() & 0xff);
        if (++lengthBytes == 4) {
            begin(lengthSoFar);
        }
    }

    private void begin(int length) {
        lengthBytes = 0;
        lengthSoFar = 0;
        if (length <= 0) {
            failure = noun + " length of " + length + hint(length);
        } else if (length > maxBytes) {
            failure = noun + " length of " + length + ", more than " + limit + " = " + maxBytes + hint(length);
        } else {
            size = length;
        }
    }

    /** What other protocols look like when their first four bytes are taken for a length. */
    private static String hint(int length) {
        if (length >>> 16 == 0x1603) {
            return " (looks like TLS; this listener is plaintext)";
        }
        for (int shift = 24; shift >= 0; shift -= 8) {
            int letter = (length >>> shift) & 0xff;
            if (letter < ' ' || letter > '~') {
                return "";
            }
        }
        return " (looks like text, HTTP perhaps; this port speaks the Kafka protocol)";
    }

    private FrameBuffer slice(Chunk chunk, ByteBuffer in) {
        ByteBuffer frame = in.slice(in.position(), size);
        in.position(in.position() + size);
        size = -1;
        if (in.hasRemaining()) {
            chunk.retain();
        } else {
            input.poll();
        }
        return new FrameBuffer(chunk, frame);
    }

    /** Copies what {@code in} has of the frame; true if that completes it. */
    private boolean gather(ByteBuffer in) {
        int arrived = gathered == null ? 0 : gathered.bytes().position();
        int take = Math.min(in.remaining(), size - arrived);
        reserve(arrived, arrived + take);
        ByteBuffer target = gathered.bytes();
        target.put(target.position(), in, in.position(), take);
        target.position(arrived + take);
        in.position(in.position() + take);
        return arrived + take == size;
    }

    private void reserve(int arrived, int needed) {
        if (gathered != null && capacity >= needed) {
            return;
        }
        int grown = (int) Math.min(size, Math.max(FIRST_CAPACITY, (long) GROWTH * needed));
        Chunk larger = pool.acquire(grown);
        larger.bytes().clear();
        if (gathered != null) {
            larger.bytes().put(gathered.bytes().position(0).limit(arrived));
            gathered.release();
        }
        gathered = larger;
        capacity = grown;
    }

    private FrameBuffer whole() {
        Chunk chunk = gathered;
        ByteBuffer frame = chunk.bytes().slice(0, size);
        gathered = null;
        size = -1;
        return new FrameBuffer(chunk, frame);
    }
}
