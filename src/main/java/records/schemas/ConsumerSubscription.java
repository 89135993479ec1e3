package records.schemas;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import records.MalformedRecordException;

/** What a consumer of the classic protocol says to its group's assignor: Kafka's ConsumerProtocolSubscription, a version (int16) and its fields. */
public final class ConsumerSubscription {

    private ConsumerSubscription() {}

    /**
     * The topics that it wants to read.
     *
     * @param metadata of JoinGroup, in any version
     * @throws MalformedRecordException when it is no subscription
     */
    public static List<String> topics(byte[] metadata) {
        ByteBuffer bytes = ByteBuffer.wrap(metadata);
        try {
            bytes.getShort();
            // Every version begins with the fields of version 0; what a newer one adds is not needed.
            return new ConsumerProtocolSubscription(new ByteBufferAccessor(bytes), (short) 0).topics();
        } catch (RuntimeException notASubscription) {
            throw new MalformedRecordException("no subscription of a consumer: " + notASubscription.getMessage());
        }
    }
}
