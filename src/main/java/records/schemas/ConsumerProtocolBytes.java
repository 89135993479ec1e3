package records.schemas;

import java.nio.ByteBuffer;
import java.util.function.BiFunction;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;

/** What classic consumers put into the bytes of JoinGroup and SyncGroup: subscriptions and assignments, each behind its version (int16). Functions. */
public final class ConsumerProtocolBytes {

    private ConsumerProtocolBytes() {}

    /** Null when the bytes are no subscription. */
    public static ConsumerProtocolSubscription subscription(byte[] bytes) {
        return parsed(bytes, ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION, ConsumerProtocolSubscription::new);
    }

    /** Null when the bytes are no assignment. */
    public static ConsumerProtocolAssignment assignment(byte[] bytes) {
        return parsed(bytes, ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION, ConsumerProtocolAssignment::new);
    }

    /** What a newer version adds is passed over. */
    private static <T> T parsed(byte[] bytes, short highest, BiFunction<ByteBufferAccessor, Short, T> reader) {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            short version = buffer.getShort();
            return version < 0
                    ? null
                    : reader.apply(new ByteBufferAccessor(buffer), (short) Math.min(version, highest));
        } catch (RuntimeException malformed) {
            return null;
        }
    }

    /** In the version of the subscription that it answers. */
    public static byte[] bytes(ConsumerProtocolAssignment assignment, byte[] subscription) {
        short version = ByteBuffer.wrap(subscription).getShort();
        return MessageUtil.toVersionPrefixedBytes(
                (short) Math.min(version, ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION), assignment);
    }
}
