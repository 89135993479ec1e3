package group;

import java.util.ArrayList;
import java.util.List;
import records.schemas.GroupRecord;
import records.schemas.OffsetCommitRecord;

/** Removals for one batch: there may be far more than a batch takes, so they are gathered until the batch has had its share. */
final class Tombstones {
    /** Far below what the topic takes (max.message.bytes, 1 MiB by default), so that no admin's lower limit is met soon. */
    private static final int MOST_BYTES = 256 * 1024;
    /** Of one record beside its names: framing, type, partition. */
    private static final int OVERHEAD = 32;
    /** Of UTF-8. */
    private static final int MOST_PER_CHAR = 3;

    private final List<GroupRecord> records = new ArrayList<>();
    private int bytes;
    private int offsets;

    /** Whether the batch is full: what is left is for the next one. */
    boolean full() {
        return bytes >= MOST_BYTES;
    }

    void offset(String group, String topic, int partition) {
        records.add(new OffsetCommitRecord(group, topic, partition, null));
        bytes += OVERHEAD + MOST_PER_CHAR * (group.length() + topic.length());
        offsets++;
    }

    void group(Group group) {
        int before = records.size();
        group.tombstones(records);
        bytes += (records.size() - before)
                * (OVERHEAD + MOST_PER_CHAR * group.id().length());
    }

    /** How many of them are of offsets. */
    int offsets() {
        return offsets;
    }

    List<GroupRecord> records() {
        return records;
    }
}
