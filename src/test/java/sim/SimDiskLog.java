package sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.ControlRecordUtils;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;

/** A partition's log as its files lie on a machine's disks, read without any of the broker's code: what judges of several nodes compare. */
final class SimDiskLog {
    private static final String LOG = ".log";

    private SimDiskLog() {}

    /** @param leader who wrote it, when it is a leader's first of the metadata quorum; else -1 */
    record Batch(long base, long last, int epoch, long crc, int leader) {}

    /**
     * The valid batches in order; none if the partition is not there.
     *
     * @param partition name of its directory
     * @param durable only what surely survives a loss of power; else what processes see
     */
    static List<Batch> read(List<SimDisk> disks, String partition, boolean durable) {
        List<Batch> batches = new ArrayList<>();
        for (SimDisk disk : disks) {
            if (disk.root().names().get(partition) instanceof SimDirectory directory) {
                Map<String, SimFile> segments = new TreeMap<>();
                directory.names().forEach((name, node) -> {
                    if (name.endsWith(LOG) && node instanceof SimFile file) {
                        segments.put(name, file);
                    }
                });
                for (SimFile each : segments.values()) {
                    read(durable ? each.durableContent() : each.content(), batches);
                }
            }
        }
        return batches;
    }

    private static void read(byte[] content, List<Batch> batches) {
        int at = 0;
        while (content.length - at > 61) {
            int size = 12 + ByteBuffer.wrap(content, at + 8, 4).getInt();
            if (size < 61 || size > content.length - at) {
                return;
            }
            MemoryRecords one = MemoryRecords.readableRecords(ByteBuffer.wrap(content, at, size));
            MutableRecordBatch batch = one.batches().iterator().next();
            if (!batch.isValid()) {
                return;
            }
            batches.add(new Batch(
                    batch.baseOffset(),
                    batch.lastOffset(),
                    batch.partitionLeaderEpoch(),
                    batch.checksum(),
                    leader(batch)));
            at += size;
        }
    }

    private static int leader(MutableRecordBatch batch) {
        if (!batch.isControlBatch()) {
            return -1;
        }
        for (Record record : batch) {
            if (ControlRecordType.parse(record.key()) == ControlRecordType.LEADER_CHANGE) {
                LeaderChangeMessage message = ControlRecordUtils.deserializeLeaderChangeMessage(record);
                return message.leaderId();
            }
        }
        return -1;
    }
}
