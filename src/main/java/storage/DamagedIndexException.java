package storage;

import java.io.IOException;

/** A transaction index that cannot be believed: what it says is not guessed (rule T8), it is made anew from the segment's batches (rule S9). */
final class DamagedIndexException extends IOException {

    private static final long serialVersionUID = 1L;

    private final long segmentBase;

    DamagedIndexException(String path, long segmentBase, String problem) {
        super(path + " is damaged: " + problem);
        this.segmentBase = segmentBase;
    }

    long segmentBase() {
        return segmentBase;
    }
}
