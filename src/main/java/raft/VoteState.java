package raft;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * What a voter must never forget (rule R1): its epoch, and whom it voted for or follows in it.
 *
 * <pre>
 *  byte  0        4        8         12        16        20                  36        40
 *        +--------+--------+---------+---------+---------+-------------------+---------+
 *        | magic  | version| length  | epoch   | voted   | voted directory id| leader  | crc32c
 *        | "HWVS" | (1, 2) | (28)    |         | id (-1) | (16 bytes)        | id (-1) |
 *        +--------+--------+---------+---------+---------+-------------------+---------+
 * </pre>
 *
 * All numbers big endian; length counts the bytes between it and the checksum; the checksum covers all before it. Version 2 has the same form and says that
 * the voter is {@code refetching}.
 *
 * @param votedId node id of the candidate that has this voter's vote in the epoch, -1 for none
 * @param votedDirectoryMost, votedDirectoryLeast halves of that candidate's directory id
 * @param leaderId leader of the epoch as far as known, -1 for unknown
 * @param refetching records that it once had have rotted: it neither votes nor stands before it has them back (rule R15)
 */
public record VoteState(
        int epoch, int votedId, long votedDirectoryMost, long votedDirectoryLeast, int leaderId, boolean refetching) {
    public static final String FILE_NAME = "quorum-state";
    public static final int BYTES = 44;

    /** Before any election. */
    public static final VoteState NONE = new VoteState(0, -1, 0, 0, -1, false);

    private static final int MAGIC = 0x48575653;
    private static final int VERSION = 1;
    private static final int REFETCHING_VERSION = 2;
    private static final int BODY_BYTES = BYTES - 16;

    /** Why a vote file cannot be used; the voter must then neither vote nor stand. */
    public static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnreadableException(String message) {
            super(message);
        }
    }

    /** A new epoch: no vote yet. */
    VoteState inEpoch(int newEpoch, int leader) {
        return new VoteState(newEpoch, -1, 0, 0, leader, refetching);
    }

    VoteState votedFor(ReplicaKey candidate) {
        return new VoteState(
                epoch, candidate.id(), candidate.directoryMost(), candidate.directoryLeast(), leaderId, refetching);
    }

    /** Who has this voter's vote; null for nobody. */
    public ReplicaKey candidate() {
        return votedId < 0 ? null : new ReplicaKey(votedId, votedDirectoryMost, votedDirectoryLeast);
    }

    VoteState led(int leader) {
        return new VoteState(epoch, votedId, votedDirectoryMost, votedDirectoryLeast, leader, refetching);
    }

    VoteState refetching(boolean now) {
        return new VoteState(epoch, votedId, votedDirectoryMost, votedDirectoryLeast, leaderId, now);
    }

    /** Whether the vote of this epoch may go to {@code candidate}: nobody has it, or just it. */
    boolean freeFor(ReplicaKey candidate) {
        return votedId < 0 || candidate.equals(new ReplicaKey(votedId, votedDirectoryMost, votedDirectoryLeast));
    }

    public ByteBuffer encode() {
        ByteBuffer file = ByteBuffer.allocate(BYTES);
        file.putInt(MAGIC).putInt(refetching ? REFETCHING_VERSION : VERSION).putInt(BODY_BYTES);
        file.putInt(epoch)
                .putInt(votedId)
                .putLong(votedDirectoryMost)
                .putLong(votedDirectoryLeast)
                .putInt(leaderId);
        file.putInt(crc(file));
        return file.flip();
    }

    /** @param file the whole file, position to limit */
    public static VoteState decode(ByteBuffer file) throws UnreadableException {
        ByteBuffer in = file.duplicate();
        if (in.remaining() < 12 || in.getInt() != MAGIC) {
            throw new UnreadableException("it is not a vote file of Highwater");
        }
        int version = in.getInt();
        if (version != VERSION && version != REFETCHING_VERSION) {
            throw new UnreadableException(
                    "its version is " + version + ", this software reads " + VERSION + " and " + REFETCHING_VERSION);
        }
        if (file.remaining() != BYTES || in.getInt() != BODY_BYTES) {
            throw new UnreadableException("it has " + file.remaining() + " bytes instead of " + BYTES);
        }
        VoteState state = new VoteState(
                in.getInt(), in.getInt(), in.getLong(), in.getLong(), in.getInt(), version == REFETCHING_VERSION);
        if (in.getInt() != crc(ByteBuffer.allocate(BYTES).put(file.duplicate()).position(BYTES - 4))) {
            throw new UnreadableException("its checksum does not match");
        }
        if (state.epoch < 0 || state.votedId < -1 || state.leaderId < -1) {
            throw new UnreadableException("its numbers are out of range");
        }
        return state;
    }

    private static int crc(ByteBuffer filled) {
        CRC32C crc = new CRC32C();
        crc.update(filled.duplicate().flip());
        return (int) crc.getValue();
    }
}
