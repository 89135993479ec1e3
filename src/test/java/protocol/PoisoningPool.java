package protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A heap pool that finds leaks, double releases and use after release: freed memory is filled with junk. */
final class PoisoningPool implements BufferPool {
    private final List<Piece> made = new ArrayList<>();
    private long live;
    private long mostLive;
    private int largest;

    @Override
    public Chunk acquire(int bytes) {
        largest = Math.max(largest, bytes);
        return piece(ByteBuffer.allocate(bytes));
    }

    /** A chunk as a socket would give it: a copy of the bytes. */
    Chunk read(byte[] source, int from, int to) {
        ByteBuffer bytes = ByteBuffer.allocate(to - from);
        bytes.put(source, from, to - from).flip();
        return piece(bytes);
    }

    private Piece piece(ByteBuffer bytes) {
        Piece piece = new Piece(bytes);
        made.add(piece);
        live += bytes.capacity();
        mostLive = Math.max(mostLive, live);
        return piece;
    }

    /** Bytes in pieces that were not released. */
    long live() {
        return live;
    }

    long mostLive() {
        return mostLive;
    }

    /** The largest piece that was asked for. */
    int largest() {
        return largest;
    }

    private final class Piece implements Chunk {
        private final ByteBuffer bytes;
        private int count = 1;

        Piece(ByteBuffer bytes) {
            this.bytes = bytes;
        }

        @Override
        public ByteBuffer bytes() {
            require();
            return bytes;
        }

        @Override
        public void retain() {
            require();
            count++;
        }

        @Override
        public void release() {
            require();
            if (--count == 0) {
                live -= bytes.capacity();
                bytes.clear();
                for (int at = 0; at < bytes.capacity(); at++) {
                    bytes.put(at, (byte) 0x5a);
                }
            }
        }

        private void require() {
            if (count <= 0) {
                throw new AssertionError("used after its last release");
            }
        }
    }
}
