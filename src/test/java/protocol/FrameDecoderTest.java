package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameDecoderTest {
    private final PoisoningPool pool = new PoisoningPool();

    @Test
    void framesAreTheSameHoweverTheBytesAreCut() {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            List<byte[]> frames = new ArrayList<>();
            List<byte[]> encoded = new ArrayList<>();
            for (int i = 0; i < 1 + random.nextInt(20); i++) {
                byte[] frame = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 200_000 : 300)];
                random.nextBytes(frame);
                frames.add(frame);
                encoded.add(ByteBuffer.allocate(4 + frame.length)
                        .putInt(frame.length)
                        .put(frame)
                        .array());
            }
            byte[] all = Wire.concat(encoded);
            FrameDecoder decoder = new FrameDecoder(pool, 1 << 20, "a request", "the limit");
            List<FrameBuffer> held = new ArrayList<>();
            int at = 0;
            int next = 0;
            while (at < all.length) {
                int to = Math.min(all.length, at + 1 + random.nextInt(random.nextBoolean() ? 5 : 70_000));
                decoder.feed(pool.read(all, at, to));
                at = to;
                FrameBuffer frame = random.nextInt(3) == 0 && at < all.length ? null : decoder.next();
                while (frame != null) {
                    check("seed " + seed, frames.get(next++), frame);
                    held.add(frame);
                    frame = decoder.next();
                }
                while (held.size() > random.nextInt(4)) {
                    held.remove(random.nextInt(held.size())).release();
                }
            }
            assertEquals(frames.size(), next, "seed " + seed);
            assertNull(decoder.failure());
            assertEquals(0, decoder.missing());
            held.forEach(FrameBuffer::release);
            decoder.close();
            assertEquals(0, pool.live(), "leaked, seed " + seed);
        }
    }

    private static void check(String where, byte[] expected, FrameBuffer frame) {
        assertEquals(expected.length, frame.size(), where);
        assertEquals(ByteBuffer.wrap(expected), frame.bytes().duplicate(), where);
    }

    @Test
    void aFrameWithinAChunkIsNotCopied() {
        byte[] bytes = {0, 0, 0, 2, 7, 8, 0, 0, 0, 1, 9};
        Chunk chunk = pool.read(bytes, 0, bytes.length);
        FrameDecoder decoder = new FrameDecoder(pool, 100, "a request", "the limit");
        decoder.feed(chunk);
        FrameBuffer first = decoder.next();
        FrameBuffer second = decoder.next();
        assertSame(chunk.bytes().array(), first.bytes().array());
        assertSame(chunk.bytes().array(), second.bytes().array());
        first.release();
        assertEquals(9, second.bytes().get(), "the chunk lives as long as its last frame");
        second.release();
        assertEquals(0, pool.live());
    }

    @Test
    void memoryGrowsWithWhatArrivesNotWithWhatIsAnnounced() {
        int announced = 90 << 20;
        FrameDecoder decoder = new FrameDecoder(pool, 100 << 20, "a request", "the limit");
        byte[] length = ByteBuffer.allocate(4).putInt(announced).array();
        decoder.feed(pool.read(length, 0, 4));
        assertNull(decoder.next());
        assertEquals(0, pool.live(), "nothing for an announcement");
        byte[] piece = new byte[30_000];
        for (int arrived = piece.length; arrived < 3 << 20; arrived += piece.length) {
            decoder.feed(pool.read(piece, 0, piece.length));
            assertNull(decoder.next());
            assertTrue(decoder.held() <= Math.max(16 << 10, 4 * arrived), decoder.held() + " for " + arrived);
            assertEquals(announced - arrived, decoder.missing());
        }
        decoder.close();
        assertEquals(0, pool.live());
    }

    @Test
    void lengthsThatAreNoLengthsEndIt() {
        for (int length : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 101, 0x16030100, 0x47455420}) {
            for (int cut = 1; cut <= 4; cut++) {
                FrameDecoder decoder = new FrameDecoder(pool, 100, "a request", "the limit");
                byte[] bytes = ByteBuffer.allocate(8).putInt(length).putInt(0).array();
                decoder.feed(pool.read(bytes, 0, cut));
                decoder.next();
                decoder.feed(pool.read(bytes, cut, 8));
                assertNull(decoder.next());
                assertNotNull(decoder.failure(), "length " + length);
                decoder.close();
                assertEquals(0, pool.live());
            }
        }
        assertEquals(0, pool.largest());
    }
}
