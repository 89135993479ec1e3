package raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Rule R1: what is read is what was written, or the voter stops. */
class VoteStateTest {

    @Test
    void comesBackAsWritten() throws VoteState.UnreadableException {
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            VoteState state = new VoteState(
                    random.nextInt(Integer.MAX_VALUE),
                    random.nextInt(10) - 1,
                    random.nextLong(),
                    random.nextLong(),
                    random.nextInt(10) - 1,
                    random.nextBoolean());
            assertEquals(state, VoteState.decode(state.encode()));
        }
    }

    @Test
    void everyFlippedBitIsRefused() {
        ByteBuffer good = new VoteState(12, 1, 34, 56, 1, false).encode();
        for (int bit = 0; bit < good.remaining() * 8; bit++) {
            ByteBuffer bad =
                    ByteBuffer.allocate(good.remaining()).put(good.duplicate()).flip();
            bad.put(bit / 8, (byte) (bad.get(bit / 8) ^ (1 << (bit % 8))));
            assertThrows(VoteState.UnreadableException.class, () -> VoteState.decode(bad), "bit " + bit);
        }
    }

    @Test
    void everyOtherLengthIsRefused() {
        ByteBuffer good = new VoteState(12, 1, 34, 56, 1, false).encode();
        for (int length = 0; length < good.capacity(); length++) {
            ByteBuffer cut = good.duplicate().limit(length);
            assertThrows(VoteState.UnreadableException.class, () -> VoteState.decode(cut), "length " + length);
        }
        ByteBuffer longer =
                ByteBuffer.allocate(good.capacity() + 1).put(good.duplicate()).position(0);
        assertThrows(VoteState.UnreadableException.class, () -> VoteState.decode(longer));
    }

    /** A file of the first version, as the broker of one node wrote it, byte for byte. */
    @Test
    void theFirstVersionIsRead() throws VoteState.UnreadableException {
        ByteBuffer file = new VoteState(3, 1, 34, 56, 1, false).encode();
        assertEquals(1, file.getInt(4));
        assertEquals(2, new VoteState(3, 1, 34, 56, 1, true).encode().getInt(4));
        assertEquals(
                "48575653 00000001 0000001c 00000003 00000001 00000000 00000022 00000000 00000038 00000001",
                words(file).substring(0, 89));
    }

    private static String words(ByteBuffer file) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < file.limit(); at += 4) {
            text.append(String.format("%08x ", file.getInt(at)));
        }
        return text.toString();
    }
}
