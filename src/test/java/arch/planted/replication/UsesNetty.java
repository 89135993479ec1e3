package arch.planted.replication;

import arch.Breaks;
import io.netty.buffer.ByteBuf;

@Breaks("R1")
final class UsesNetty {
    int size(ByteBuf buffer) {
        return buffer.capacity();
    }
}
