package records;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.ControlRecordUtils;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Control batches: what the broker itself writes between the records of producers. Each method returns one batch in a fresh buffer. */
public final class ControlBatches {

    private static final int LEADER_CHANGE_BYTES = 512;
    private static final int KEY_BYTES = 4;
    private static final int MARKER_VALUE_BYTES = 6;

    private ControlBatches() {}

    /**
     * Ends a producer's transaction in one partition (rule T7). Offset and leader epoch are set when it is appended.
     *
     * @param coordinatorEpoch of the transaction coordinator that decided
     */
    public static ByteBuffer transactionMarker(
            long timestampMillis, long producerId, short producerEpoch, boolean commit, int coordinatorEpoch) {
        ControlRecordType type = commit ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        return MemoryRecords.withEndTransactionMarker(
                        0,
                        timestampMillis,
                        -1,
                        producerId,
                        producerEpoch,
                        new EndTransactionMarker(type, coordinatorEpoch))
                .buffer();
    }

    /**
     * The first batch of a leader of the metadata quorum (rule R6).
     *
     * @param voters ids of the voters
     * @param granting ids of those that voted for it
     */
    public static ByteBuffer leaderChange(
            long baseOffset,
            long timestampMillis,
            int leaderEpoch,
            int leaderId,
            List<Integer> voters,
            List<Integer> granting) {
        LeaderChangeMessage message = new LeaderChangeMessage()
                .setVersion((short) 0)
                .setLeaderId(leaderId)
                .setVoters(asVoters(voters))
                .setGrantingVoters(asVoters(granting));
        return MemoryRecords.withLeaderChangeMessage(
                        baseOffset, timestampMillis, leaderEpoch, ByteBuffer.allocate(LEADER_CHANGE_BYTES), message)
                .buffer();
    }

    /** Who votes from here on (KIP-853, rule R13). */
    public static ByteBuffer voters(long baseOffset, long timestampMillis, int leaderEpoch, VotersRecord voters) {
        MessageSizeAccumulator size = new MessageSizeAccumulator();
        voters.addSize(size, new ObjectSerializationCache(), voters.version());
        return MemoryRecords.withVotersRecord(
                        baseOffset,
                        timestampMillis,
                        leaderEpoch,
                        ByteBuffer.allocate(LEADER_CHANGE_BYTES + size.totalSize()),
                        voters)
                .buffer();
    }

    /**
     * What a control record says of who votes; null when it is of another kind.
     *
     * @throws MalformedVotersException the record says nothing that can be read
     */
    public static VotersRecord votersIn(LogRecord record) throws MalformedVotersException {
        if (!record.control() || type(record) != ControlRecordType.KRAFT_VOTERS.type()) {
            return null;
        }
        try {
            return ControlRecordUtils.deserializeVotersRecord(record.value().duplicate());
        } catch (RuntimeException e) {
            throw new MalformedVotersException(e);
        }
    }

    /** A voters record cannot be read. */
    public static final class MalformedVotersException extends Exception {
        private static final long serialVersionUID = 1L;

        MalformedVotersException(RuntimeException cause) {
            super("its record of the voters cannot be read", cause);
        }
    }

    /** The first batch of a metadata snapshot (KIP-630). {@code lastContainedMillis}: time of the last record in it. */
    public static ByteBuffer snapshotHeader(long baseOffset, int leaderEpoch, long lastContainedMillis) {
        SnapshotHeaderRecord header =
                new SnapshotHeaderRecord().setVersion((short) 0).setLastContainedLogTimestamp(lastContainedMillis);
        return MemoryRecords.withSnapshotHeaderRecord(
                        baseOffset, lastContainedMillis, leaderEpoch, ByteBuffer.allocate(LEADER_CHANGE_BYTES), header)
                .buffer();
    }

    /** The last batch of a metadata snapshot: without it the file is not whole. */
    public static ByteBuffer snapshotFooter(long baseOffset, int leaderEpoch, long lastContainedMillis) {
        SnapshotFooterRecord footer = new SnapshotFooterRecord().setVersion((short) 0);
        return MemoryRecords.withSnapshotFooterRecord(
                        baseOffset, lastContainedMillis, leaderEpoch, ByteBuffer.allocate(LEADER_CHANGE_BYTES), footer)
                .buffer();
    }

    public static boolean isSnapshotHeader(LogRecord record) {
        return record.control() && type(record) == ControlRecordType.SNAPSHOT_HEADER.type();
    }

    public static boolean isSnapshotFooter(LogRecord record) {
        return record.control() && type(record) == ControlRecordType.SNAPSHOT_FOOTER.type();
    }

    private static short type(LogRecord control) {
        ByteBuffer key = control.key();
        return key == null || key.remaining() < KEY_BYTES ? -1 : key.getShort(key.position() + Short.BYTES);
    }

    private static List<LeaderChangeMessage.Voter> asVoters(List<Integer> ids) {
        return ids.stream()
                .map(id -> new LeaderChangeMessage.Voter().setVoterId(id))
                .toList();
    }

    /**
     * The transaction marker in the framed control batch at {@code at}; null if its record is of another kind or cannot be read. A later version of the
     * marker may carry more behind the coordinator epoch.
     */
    static BatchSummary.TransactionMarker readMarker(ByteBuffer buffer, int at) {
        BufferSource in = new BufferSource();
        int end = at + BatchHeader.sizeInBytes(buffer, at);
        in.reset(buffer, at + BatchHeader.SIZE, end);
        try {
            in.readVarint();
            in.skip(1);
            in.readVarlong();
            in.readVarint();
            if (BatchHeader.isCompressed(buffer, at) || in.readVarint() < KEY_BYTES) {
                return null;
            }
            int keyAt = at + BatchHeader.SIZE + (int) in.consumed();
            in.skip(KEY_BYTES);
            int valueBytes = in.readVarint();
            int valueAt = at + BatchHeader.SIZE + (int) in.consumed();
            short type = buffer.getShort(keyAt + Short.BYTES);
            boolean marker = type == ControlRecordType.COMMIT.type() || type == ControlRecordType.ABORT.type();
            if (!marker || valueBytes < MARKER_VALUE_BYTES || valueAt + MARKER_VALUE_BYTES > end) {
                return null;
            }
            return new BatchSummary.TransactionMarker(
                    type == ControlRecordType.COMMIT.type(), buffer.getInt(valueAt + Short.BYTES));
        } catch (MalformedRecordException e) {
            return null;
        }
    }
}
