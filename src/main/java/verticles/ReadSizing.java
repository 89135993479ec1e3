package verticles;

import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.util.function.IntSupplier;

/**
 * How much room to offer the next read of a connection. Fewer, larger reads are cheaper: when the length of the request being read is known, there is room for all
 * the rest of it; else the room follows what recent reads brought, so an idle connection holds nothing large while a busy one reads its socket empty with one call.
 */
final class ReadSizing extends DefaultMaxMessagesRecvByteBufAllocator {
    static final int LEAST = 4 << 10;
    static final int MOST = 512 << 10;

    private final IntSupplier missingBytes;

    /** @param missingBytes bytes that the request being read still lacks; 0 between requests */
    ReadSizing(IntSupplier missingBytes) {
        super(4);
        this.missingBytes = missingBytes;
    }

    /** Netty means to rename this method some day and has no other yet: hence deprecated here as there. */
    @Deprecated
    @Override
    public RecvByteBufAllocator.Handle newHandle() {
        return new Sizes();
    }

    private final class Sizes extends MaxMessageHandle {
        private int room = 16 << 10;
        private int smallReads;

        @Override
        public int guess() {
            int missing = missingBytes.getAsInt();
            // The start of the next request often comes with the end of this one.
            return missing > room ? Math.min(missing + LEAST, MOST) : room;
        }

        @Override
        public void lastBytesRead(int bytes) {
            if (bytes > 0 && bytes == attemptedBytesRead()) {
                room = Math.min(MOST, room * 2);
                smallReads = 0;
            } else if (bytes >= 0 && bytes < room / 4) {
                if (++smallReads == 16) {
                    room = Math.max(LEAST, room / 2);
                    smallReads = 0;
                }
            } else {
                smallReads = 0;
            }
            super.lastBytesRead(bytes);
        }
    }
}
