package storage;

import java.io.IOException;

/** Where a batch of a segment must begin there is none, or not a valid one (rule S8). */
final class CorruptSegmentException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long segmentBase;
    private final int position;

    CorruptSegmentException(SegmentView segment, int position) {
        super("there is no valid batch at byte " + position + " of " + segment.path(SegmentFiles.LOG)
                + ": it is damaged on this disk");
        this.segmentBase = segment.baseOffset();
        this.position = position;
    }

    long segmentBase() {
        return segmentBase;
    }

    /** In the segment's file. */
    int position() {
        return position;
    }
}
