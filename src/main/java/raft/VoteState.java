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
 *        | "HWVS" | (1)    | (28)    |         | id (-1) | (16 bytes)        | id (-1) |
 *        +--------+--------+---------+---------+---------+-------------------+---------+
 * </pre>
 *
 * All numbers big endian; length counts the bytes between it and the checksum; the checksum covers all before it.
 *
 * @param votedId node id of the candidate that has this voter's vote in the epoch, -1 for none
 * @param votedDirectoryMost, votedDirectoryLeast halves of that candidate's directory id
 * @param leaderId leader of the epoch as far as known, -1 for unknown
 */
public record VoteState(int epoch, int votedId, long votedDirectoryMost, long votedDirectoryLeast, int leaderId) {
    public static final String FILE_NAME = "quorum-state";
    public static final int BYTES = 44;

    /** Before any election. */
    public static final VoteState NONE = new VoteState(0, -1, 0, 0, -1);

    private static final int MAGIC = 0x48575653;
    private static final int VERSION = 1;
    private static final int BODY_BYTES = BYTES - 16;

    /** Why a vote file cannot be used; the voter must then neither vote nor stand. */
    public static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnreadableException(String message) {
            super(message);
        }
    }

    public ByteBuffer encode() {
        ByteBuffer file = ByteBuffer.allocate(BYTES);
        file.putInt(MAGIC).putInt(VERSION).putInt(BODY_BYTES);
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
        if (version != VERSION) {
            throw new UnreadableException("its version is " + version + ", this software reads " + VERSION);
        }
        if (file.remaining() != BYTES || in.getInt() != BODY_BYTES) {
            throw new UnreadableException("it has " + file.remaining() + " bytes instead of " + BYTES);
        }
        VoteState state = new VoteState(in.getInt(), in.getInt(), in.getLong(), in.getLong(), in.getInt());
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
