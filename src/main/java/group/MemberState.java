package group;

/** How far a member of a KIP-848 group is on the way to its target assignment. */
enum MemberState {
    /** It has what it shall have at its epoch. */
    STABLE(0),
    /** It has yet to say that it gave up partitions. */
    UNREVOKED_PARTITIONS(1),
    /** It is at its epoch, but others have not yet released all that it shall get. */
    UNRELEASED_PARTITIONS(2),
    /** A record from a newer broker said something else. */
    UNKNOWN(127);

    private final byte id;

    MemberState(int id) {
        this.id = (byte) id;
    }

    /** As in records. */
    byte id() {
        return id;
    }

    static MemberState of(byte id) {
        for (MemberState state : values()) {
            if (state.id == id) {
                return state;
            }
        }
        return UNKNOWN;
    }
}
