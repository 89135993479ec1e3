package storage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The aborted transactions of a log in the order of their markers, read from the segments' indexes a piece at a time. Handed from job to job. */
final class AbortedStream {

    private static final int PIECE = 256;

    private final List<AbortedView> views;
    private final long from;
    private final List<CompletedTransaction> piece = new ArrayList<>(0);
    private int taken;
    private int view;
    private int entry;

    /** @param from those whose marker lies below are left out */
    AbortedStream(List<AbortedView> views, long from) {
        this.views = views;
        this.from = from;
    }

    /** Null at the end. */
    CompletedTransaction next(FileSystem files) throws IOException {
        while (true) {
            while (taken < piece.size()) {
                CompletedTransaction next = piece.get(taken++);
                if (next.lastOffset() >= from) {
                    return next;
                }
            }
            while (view < views.size() && entry == views.get(view).count()) {
                view++;
                entry = 0;
            }
            if (view == views.size()) {
                return null;
            }
            piece.clear();
            taken = 0;
            views.get(view).read(files, entry, PIECE, piece);
            entry += piece.size();
        }
    }
}
