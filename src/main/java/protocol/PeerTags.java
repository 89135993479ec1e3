package protocol;

import controller.BootReport;
import controller.ReplicaEnd;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * What our brokers tell our controllers beyond Kafka's messages, as tagged fields of high numbers in them, which anybody else passes over. What cannot be read
 * counts as not told.
 */
public final class PeerTags {
    private static final int BOOT = 20_000;
    private static final int SUSPECTS = 20_001;
    private static final int ENDS = 20_002;
    private static final int BYTES_OF_END = 32;

    private PeerTags() {}

    /** @param report null: nothing is told */
    public static void put(BrokerRegistrationRequestData request, BootReport report) {
        if (report == null || report.bootId() == null) {
            return;
        }
        byte[] id = report.bootId().getBytes(StandardCharsets.UTF_8);
        ByteBuffer content = ByteBuffer.allocate(1 + id.length);
        content.put((byte) (report.durable() ? 1 : 0)).put(id);
        put(request, BOOT, content);
    }

    /** Null when nothing is told. */
    public static BootReport bootReport(BrokerRegistrationRequestData request) {
        ByteBuffer content = get(request, BOOT);
        if (content == null || !content.hasRemaining()) {
            return null;
        }
        boolean durable = content.get() != 0;
        return new BootReport(StandardCharsets.UTF_8.decode(content).toString(), durable);
    }

    /** Brokers whose process was not found where it should be. */
    public static void putSuspects(BrokerHeartbeatRequestData request, List<Integer> brokers) {
        if (!brokers.isEmpty()) {
            ByteBuffer content = ByteBuffer.allocate(brokers.size() * Integer.BYTES);
            brokers.forEach(content::putInt);
            put(request, SUSPECTS, content);
        }
    }

    public static List<Integer> suspects(BrokerHeartbeatRequestData request) {
        List<Integer> brokers = new ArrayList<>();
        ByteBuffer content = get(request, SUSPECTS);
        while (content != null && content.remaining() >= Integer.BYTES) {
            brokers.add(content.getInt());
        }
        return brokers;
    }

    /** Where replicas end that wait for recovery (rule C4). */
    public static void putEnds(BrokerHeartbeatRequestData request, List<ReplicaEnd> ends) {
        if (!ends.isEmpty()) {
            ByteBuffer content = ByteBuffer.allocate(ends.size() * BYTES_OF_END);
            for (ReplicaEnd each : ends) {
                content.putLong(each.topicId().getMostSignificantBits());
                content.putLong(each.topicId().getLeastSignificantBits());
                content.putInt(each.partition()).putInt(each.lastEpoch()).putLong(each.endOffset());
            }
            put(request, ENDS, content);
        }
    }

    public static List<ReplicaEnd> ends(BrokerHeartbeatRequestData request) {
        List<ReplicaEnd> ends = new ArrayList<>();
        ByteBuffer content = get(request, ENDS);
        while (content != null && content.remaining() >= BYTES_OF_END) {
            Uuid topic = new Uuid(content.getLong(), content.getLong());
            ends.add(new ReplicaEnd(topic, content.getInt(), content.getInt(), content.getLong()));
        }
        return ends;
    }

    private static void put(ApiMessage message, int tag, ByteBuffer content) {
        message.unknownTaggedFields().removeIf(each -> each.tag() == tag);
        byte[] written = new byte[content.flip().remaining()];
        content.get(written);
        message.unknownTaggedFields().add(new RawTaggedField(tag, written));
    }

    private static ByteBuffer get(ApiMessage message, int tag) {
        for (RawTaggedField each : message.unknownTaggedFields()) {
            if (each.tag() == tag) {
                return ByteBuffer.wrap(each.data());
            }
        }
        return null;
    }
}
