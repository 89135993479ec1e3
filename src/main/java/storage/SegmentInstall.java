package storage;

import common.Failure;
import common.FailureCode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a cleaned segment in the place of those it was made of, in a log that is being read: waits for jobs that have yet to open a file by its name, swaps the
 * files ({@link SegmentSwap}), again and again if need be, then the segments. Readers of the old ones keep their files. Confined to the log's owner.
 */
final class SegmentInstall {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentInstall.class);
    private static final long RETRY_MILLIS = 5_000;

    private final LogState log;
    private final LogRetention retention;
    private final CleanerPause pause;
    private final BooleanSupplier unwanted;
    private final List<Segment> sources;
    private final Segment fresh;
    private final Ended ended;

    /** Told once. */
    @FunctionalInterface
    interface Ended {
        /** {@code failure} null: it is done. Else the files are as they were, or half renamed, and the next start completes that. */
        void done(Failure failure);
    }

    /**
     * @param retention idle while this goes on
     * @param unwanted the log is to be closed, cut or deleted, or cannot be used any more
     */
    SegmentInstall(
            LogState log,
            LogRetention retention,
            CleanerPause pause,
            BooleanSupplier unwanted,
            List<Segment> sources,
            Segment fresh,
            Ended ended) {
        this.log = log;
        this.retention = retention;
        this.pause = pause;
        this.unwanted = unwanted;
        this.sources = sources;
        this.fresh = fresh;
        this.ended = ended;
    }

    /** {@code handles}: open files of the sources, in their order; taken over. */
    void run(List<FileHandle> handles) {
        for (int i = 0; i < sources.size(); i++) {
            log.context.openFiles().pin(sources.get(i), handles.get(i));
        }
        if (log.context.ports().mutations().active("swap-under-readers")) {
            sources.forEach(each -> each.readsByName = 0);
            sources.forEach(log.context.openFiles()::unpin);
        }
        // From here on who would open them by name waits, or those that come could keep the count above 0 for ever.
        log.renaming(sources);
        log.onReadByName = this::swapWhenUnread;
        swapWhenUnread();
    }

    /** Jobs that have yet to open a file by its name must not find another one there. */
    private void swapWhenUnread() {
        List<Long> bases = new ArrayList<>();
        for (Segment each : sources) {
            if (each.readsByName > 0) {
                return;
            }
            bases.add(each.baseOffset);
        }
        log.onReadByName = null;
        swapFiles(bases);
    }

    private void swapFiles(List<Long> bases) {
        String directory = log.identity.directory();
        DiskJob<List<String>> swap = files ->
                new SegmentSwap(files, directory, log.context.ports().mutations()).run(fresh.baseOffset, bases);
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, swap, (old, failure) -> {
            if (failure == null) {
                install(old);
            } else {
                retry(bases, failure);
            }
        });
    }

    /** A swap that has begun must end: the files are half renamed. Readers have the old ones open. */
    private void retry(List<Long> bases, Failure failure) {
        log.renamed(failure);
        if (failure.code() == FailureCode.SYNC_FAILED) {
            log.context.goOffline(failure);
        }
        if (unwanted.getAsBoolean()) {
            // The next start completes it.
            sources.forEach(log.context.openFiles()::unpin);
            ended.done(failure);
            return;
        }
        log.renaming(sources);
        LOG.warn(
                "{}: a cleaned segment could not be put in its place: {}. It is tried again.",
                log.identity.directory(),
                failure.message());
        pause.wait(RETRY_MILLIS, () -> swapFiles(bases));
    }

    private void install(List<String> old) {
        int index = log.segments.indexOf(sources.get(0));
        log.segments.replace(index, sources.size(), fresh);
        log.recent.clear();
        for (Segment each : sources) {
            log.context.openFiles().drop(each);
            log.forgetDamage(each);
        }
        log.renamed(null);
        retention.replaced(old);
        ended.done(null);
    }
}
