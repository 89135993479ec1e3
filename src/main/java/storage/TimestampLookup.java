package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import records.BatchReader;

/** Finds records by time (ListOffsets): time indexes first, then batch headers, then the records of one batch. In jobs on the BLOCKING lane. */
final class TimestampLookup {

    private static final int MAX_BATCH = 256 << 20;

    private final LogState log;
    private final LogScrub scrub;

    /** @param scrub is told where a search met no batch */
    TimestampLookup(LogState log, LogScrub scrub) {
        this.log = log;
        this.scrub = scrub;
    }

    /** A segment with what is known of its largest timestamp ({@code known} false: the time index says). */
    private record Timed(SegmentView view, boolean known, long maxTimestamp, long maxTimestampOffset) {}

    /** The first record at or after {@code timestampMillis} and the log start, below the bound. */
    void first(long timestampMillis, ReadBound bound, Callback<TimestampOffset> done) {
        long limit = switch (bound) {
            case HIGH_WATERMARK -> log.highWatermark;
            case LAST_STABLE_OFFSET -> log.lastStableOffset();
            case LOG_END -> log.writtenEnd;
        };
        long start = log.logStart;
        run(
                views -> files -> {
                    for (Timed segment : views) {
                        TimestampOffset found = firstIn(files, segment, timestampMillis, start);
                        if (found != null) {
                            return found.offset() < limit ? found : TimestampOffset.NONE;
                        }
                    }
                    return TimestampOffset.NONE;
                },
                done);
    }

    /** The first record with the largest timestamp of the log. */
    void max(Callback<TimestampOffset> done) {
        long start = log.logStart;
        run(
                views -> files -> {
                    long max = -1;
                    for (Timed segment : views) {
                        long known = learn(files, segment).maxTimestamp();
                        max = known == Long.MAX_VALUE ? max : Math.max(max, known);
                    }
                    for (Timed segment : views) {
                        TimestampOffset found = max < 0 ? null : firstIn(files, segment, max, start);
                        if (found != null) {
                            return found;
                        }
                    }
                    return TimestampOffset.NONE;
                },
                done);
    }

    private interface Search {
        DiskJob<TimestampOffset> over(List<Timed> segments);
    }

    /** One of both is null. */
    private record Outcome(TimestampOffset found, CorruptSegmentException corrupt) {}

    private static DiskJob<Outcome> attempt(DiskJob<TimestampOffset> search) {
        return files -> {
            try {
                return new Outcome(search.run(files), null);
            } catch (CorruptSegmentException e) {
                return new Outcome(null, e);
            }
        };
    }

    private void run(Search search, Callback<TimestampOffset> done) {
        Failure unusable = log.unusable();
        if (unusable != null) {
            done.fail(unusable);
            return;
        }
        List<Timed> segments = new ArrayList<>(log.segments.count());
        List<FileHandle> retained = new ArrayList<>();
        List<Segment> byName = new ArrayList<>();
        for (int i = 0; i < log.segments.count(); i++) {
            Segment segment = log.segments.get(i);
            if (segment.size > 0) {
                FileHandle file = log.context.openFiles().retained(segment);
                if (file != null) {
                    retained.add(file);
                } else {
                    byName.add(segment);
                    log.readByName(segment);
                }
                for (SegmentView part : log.soundParts(segment, file)) {
                    segments.add(new Timed(
                            part, segment.maxTimestampKnown, segment.maxTimestamp, segment.maxTimestampOffset));
                }
            }
        }
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, attempt(search.over(segments)), (outcome, failure) -> {
            retained.forEach(FileHandle::release);
            byName.forEach(log::readByNameEnded);
            if (failure != null && byName.stream().anyMatch(each -> log.segments.indexOf(each) < 0)) {
                // Retention took a name away before the job came to open the file.
                run(search, done);
            } else if (failure != null) {
                done.fail(failure);
            } else if (outcome.corrupt() != null) {
                examine(outcome.corrupt(), search, done);
            } else {
                done.succeed(outcome.found());
            }
        });
    }

    /** Rot that nobody knew of: searches around it once it is known how far it goes. */
    private void examine(CorruptSegmentException met, Search search, Callback<TimestampOffset> done) {
        Segment segment = log.segments.get(Math.max(0, log.segments.floorIndex(met.segmentBase())));
        scrub.examine(segment, met.position(), (found, failure) -> {
            if (failure == null && found) {
                run(search, done);
            } else {
                done.fail(FailureCode.CORRUPT_BATCH, met.getMessage());
            }
        });
    }

    private static Timed learn(FileSystem files, Timed segment) throws IOException {
        if (segment.known()) {
            return segment;
        }
        SegmentView view = segment.view();
        IndexSearch.TimeEntry last = IndexSearch.lastTime(files, view.path(SegmentFiles.TIME_INDEX), view.baseOffset());
        return last == null
                ? new Timed(view, true, Long.MAX_VALUE, -1)
                : new Timed(view, true, last.timestamp(), last.lastOffset());
    }

    /** Null when the segment has no such record. */
    private static TimestampOffset firstIn(FileSystem files, Timed segment, long timestamp, long start)
            throws IOException {
        if (learn(files, segment).maxTimestamp() < timestamp) {
            return null;
        }
        SegmentView view = segment.view();
        IndexSearch.TimeEntry entry =
                IndexSearch.below(files, view.path(SegmentFiles.TIME_INDEX), view.baseOffset(), timestamp);
        long from = Math.max(start, entry == null ? view.baseOffset() : entry.lastOffset());
        FileHandle file = view.open(files);
        try {
            BatchScanner scanner = view.find(files, file, from, -1);
            BatchReader reader = new BatchReader();
            while (scanner != null && view.next(scanner)) {
                if (scanner.maxTimestamp() >= timestamp) {
                    ByteBuffer batch = scanner.wholeBatch(MAX_BATCH);
                    BatchReader.TimeSearch found = reader.firstAtOrAfter(batch, 0, timestamp, start);
                    if (found.failure() != null) {
                        throw new IOException(found.failure().message() + ", in " + file.path());
                    }
                    if (found.offset() >= 0) {
                        return new TimestampOffset(found.timestamp(), found.offset(), scanner.leaderEpoch());
                    }
                }
                scanner.skip();
            }
            return null;
        } finally {
            view.close(file);
        }
    }
}
