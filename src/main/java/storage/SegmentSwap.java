package storage;

import common.Mutations;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a cleaned segment in the place of those it was made of, so that a crash at any moment leaves the old ones or the new one, never both, never neither
 * (rules K5, S11). Blocking. The steps, each made durable by a sync of the directory before the next:
 *
 * <ol>
 *   <li>indexes get their {@code .swap} names
 *   <li>the log file gets its {@code .swap} name: from here on the new segment counts
 *   <li>old files get {@code .deleted} names
 *   <li>indexes get their final names
 *   <li>the log file gets its final name
 * </ol>
 *
 * So recovery completes a swap whose log file has its {@code .swap} name, and drops what is left of any other.
 */
final class SegmentSwap {

    static final String CLEANED = ".cleaned";
    static final String SWAP = ".swap";

    private static final Logger LOG = LoggerFactory.getLogger(SegmentSwap.class);
    private static final List<String> INDEXES =
            List.of(SegmentFiles.OFFSET_INDEX, SegmentFiles.TIME_INDEX, SegmentFiles.TRANSACTION_INDEX);

    private final FileSystem files;
    private final String directory;
    private final Mutations mutations;

    SegmentSwap(FileSystem files, String directory, Mutations mutations) {
        this.files = files;
        this.directory = directory;
        this.mutations = mutations;
    }

    /**
     * The swap; also a repeat of one that failed in the midst.
     *
     * @param base of the cleaned segment, whose files are durable under their {@code .cleaned} names
     * @param sources bases of the segments that it replaces
     * @return paths to be unlinked once nobody reads them any more
     */
    List<String> run(long base, List<Long> sources) throws IOException {
        String log = SegmentFiles.path(directory, base, SegmentFiles.LOG);
        if (files.exists(log + CLEANED)) {
            for (String suffix : INDEXES) {
                rename(SegmentFiles.path(directory, base, suffix) + CLEANED, CLEANED, SWAP);
            }
            sync();
            rename(log + CLEANED, CLEANED, SWAP);
            sync();
        }
        return complete(base, sources);
    }

    private List<String> complete(long base, List<Long> sources) throws IOException {
        List<String> old = new ArrayList<>();
        String log = SegmentFiles.path(directory, base, SegmentFiles.LOG);
        if (files.exists(log + SWAP)) {
            for (long source : sources) {
                List<String> kinds = source == base ? List.of(SegmentFiles.LOG) : SegmentFiles.WITH_SNAPSHOT;
                for (String kind : kinds) {
                    String path = SegmentFiles.path(directory, source, kind);
                    if (rename(path, "", SegmentFiles.DELETED)) {
                        old.add(path + SegmentFiles.DELETED);
                    }
                }
            }
            sync();
            for (String suffix : INDEXES) {
                rename(SegmentFiles.path(directory, base, suffix) + SWAP, SWAP, "");
            }
            sync();
            rename(log + SWAP, SWAP, "");
            sync();
        }
        return old;
    }

    private void sync() throws IOException {
        if (!mutations.active("swap-without-directory-fsync")) {
            files.syncDirectory(directory);
        }
    }

    /** False: there was no such file. */
    private boolean rename(String path, String suffix, String other) throws IOException {
        if (!files.exists(path)) {
            return false;
        }
        files.rename(path, path.substring(0, path.length() - suffix.length()) + other);
        return true;
    }

    /** At a start: completes the swaps that had got so far, and drops what is left of the others. {@code names}: all in the directory; true if any changed. */
    boolean recover(List<String> names) throws IOException {
        boolean any = false;
        for (String name : names) {
            long base = SegmentFiles.baseOffset(name, SegmentFiles.LOG + SWAP);
            if (base >= 0 && !mutations.active("swap-dropped-at-start")) {
                LOG.info("{}: the cleaning of segment {} is completed", directory, base);
                complete(base, sources(names, base));
                any = true;
            }
        }
        for (String name : names) {
            boolean left = name.endsWith(CLEANED) || name.endsWith(SWAP);
            if (left) {
                files.delete(directory + '/' + name);
                any = true;
            }
        }
        return any;
    }

    /** The segments that lie in the range of the new one. */
    private List<Long> sources(List<String> names, long base) throws IOException {
        long end = endOf(base);
        List<Long> sources = new ArrayList<>();
        for (String name : names) {
            for (String kind : SegmentFiles.WITH_SNAPSHOT) {
                long each = SegmentFiles.baseOffset(name, kind);
                if (each >= base && each < end && !sources.contains(each)) {
                    sources.add(each);
                }
            }
        }
        return sources;
    }

    private long endOf(long base) throws IOException {
        String path = SegmentFiles.path(directory, base, SegmentFiles.LOG + SWAP);
        FileHandle file = files.open(path, FileSystem.Mode.READ);
        try {
            int size = (int) Math.min(Integer.MAX_VALUE, file.size());
            BatchScanner scanner = new BatchScanner(file, 0, size);
            long end = base;
            BatchScanner.Place place = scanner.load();
            while (place != BatchScanner.Place.END) {
                if (place == BatchScanner.Place.BATCH) {
                    end = scanner.lastOffset() + 1;
                    scanner.skip();
                } else {
                    // Rotten: an end that comes too early would leave old segments beside the new one.
                    int next = new RotProbe(file, size, end, -1, true).validAfter(scanner.position());
                    scanner.moveTo(next < 0 ? size : next);
                }
                place = scanner.load();
            }
            return Math.max(end, base + 1);
        } finally {
            file.release();
        }
    }
}
