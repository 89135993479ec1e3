package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.util.List;

/** Finds file ranges for reads: near the end from memory, without touching the disk; else by a job on the BLOCKING lane. */
final class LogReader {

    private final LogState log;
    private final LogScrub scrub;
    private final AbortedLookup aborted;
    private final ReaderPositions positions = new ReaderPositions();

    /**
     * @param scrub is told where a reader met no batch
     * @param repair is told where it met a transaction index that cannot be believed
     */
    LogReader(LogState log, LogScrub scrub, AbortedRepair repair) {
        this.log = log;
        this.scrub = scrub;
        this.aborted = new AbortedLookup(log, repair);
    }

    /** One read on its way. */
    private record Request(
            long offset, int maxBytes, boolean wholeFirstBatch, ReadBound bound, Callback<ReadResult> done) {}

    void read(long offset, int maxBytes, boolean wholeFirstBatch, ReadBound bound, Callback<ReadResult> done) {
        Failure unusable = log.unusable();
        if (unusable != null) {
            done.fail(unusable);
            return;
        }
        if (offset < log.logStart || offset > log.writtenEnd) {
            done.fail(
                    FailureCode.OFFSET_OUT_OF_RANGE,
                    "offset " + offset + " is outside of [" + log.logStart + ", " + log.writtenEnd + "]");
            return;
        }
        Request request = new Request(offset, maxBytes, wholeFirstBatch, bound, done);
        long limit = limit(bound);
        if (offset >= limit) {
            answerNothing(request, offset);
            return;
        }
        if (!log.damage.isEmpty()) {
            for (DamagedRange range : log.damage) {
                if (offset >= range.fromOffset() && offset < range.toOffset()) {
                    done.fail(
                            FailureCode.CORRUPT_BATCH,
                            "offsets " + range.fromOffset() + " to " + (range.toOffset() - 1) + " of "
                                    + log.identity.directory() + " are damaged on this disk");
                    return;
                }
                if (range.fromOffset() > offset) {
                    limit = Math.min(limit, range.fromOffset());
                }
            }
        }
        if (!readRecent(request, limit)) {
            readSegment(request, offset, limit, log.segments.floorIndex(offset));
        }
    }

    private long limit(ReadBound bound) {
        return switch (bound) {
            case HIGH_WATERMARK -> Math.min(log.highWatermark, log.writtenEnd);
            case LAST_STABLE_OFFSET -> Math.min(log.lastStableOffset(), log.writtenEnd);
            case LOG_END -> log.writtenEnd;
        };
    }

    /** From the remembered last batches, if the file is open and likely in the page cache; false: not so. */
    private boolean readRecent(Request request, long limit) {
        RecentBatches recent = log.recent;
        int first = recent.floor(request.offset());
        if (first < 0) {
            return false;
        }
        int index = log.segments.floorIndex(recent.offsetAt(first));
        Segment segment = log.segments.get(index);
        boolean last = index == log.segments.count() - 1;
        long segmentEnd = last ? log.writtenEnd : log.segments.get(index + 1).baseOffset;
        int start = recent.positionAt(first);
        int end;
        long next;
        if (segmentEnd <= limit && segment.size - start <= request.maxBytes()) {
            end = segment.size;
            next = segmentEnd;
        } else {
            int boundary = lastBoundary(first, Math.min(limit, segmentEnd - 1), (long) start + request.maxBytes());
            if (boundary == first && request.wholeFirstBatch()) {
                boundary++;
            }
            boolean isRemembered = boundary < recent.count() && recent.offsetAt(boundary) < segmentEnd;
            end = isRemembered ? recent.positionAt(boundary) : segment.size;
            next = isRemembered ? recent.offsetAt(boundary) : segmentEnd;
            if (boundary == first || next > limit) {
                answerNothing(request, request.offset());
                return true;
            }
        }
        if (!log.context.warm().contains(segment, start, end)) {
            return false;
        }
        FileHandle file = log.context.openFiles().retained(segment);
        if (file == null) {
            return false;
        }
        answerRange(request, segment, new FileRange(file, start, end - start), next);
        return true;
    }

    /** The last remembered batch from {@code first} on that begins at or before both limits: what lies before it may be sent. */
    private int lastBoundary(int first, long offsetLimit, long positionLimit) {
        int low = first + 1;
        int high = log.recent.count() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (log.recent.offsetAt(middle) <= offsetLimit && log.recent.positionAt(middle) <= positionLimit) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    private void readSegment(Request request, long offset, long limit, int index) {
        Segment segment = log.segments.get(index);
        boolean last = index == log.segments.count() - 1;
        int fromPosition = 0;
        int limitPosition = segment.size;
        for (DamagedRange range : log.damage) {
            if (range.segmentBase() == segment.baseOffset) {
                if (range.toOffset() <= offset) {
                    fromPosition = Math.max(fromPosition, range.toPosition());
                } else {
                    limitPosition = Math.min(limitPosition, range.fromPosition());
                }
            }
        }
        int hint = positions.find(offset, segment);
        int endHint = -1;
        if (segment.index != null) {
            hint = hint >= 0 ? hint : segment.index.pendingPosition(offset);
            endHint = endHint(segment, hint, request.maxBytes(), limit);
        }
        FileHandle file = log.context.openFiles().retained(segment);
        boolean cold = hint < 0
                || !log.context.warm().contains(segment, hint, (int)
                        Math.min(segment.size, (long) hint + request.maxBytes()));
        ReadJob job = new ReadJob(
                new SegmentView(log.identity, segment.baseOffset, segment.size, file, fromPosition),
                offset,
                hint,
                last && limit >= log.writtenEnd ? Long.MAX_VALUE : limit,
                limitPosition,
                endHint,
                request.maxBytes(),
                request.wholeFirstBatch(),
                cold);
        if (file == null) {
            log.readByName(segment);
        }
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (found, failure) -> {
            if (file == null) {
                log.readByNameEnded(segment);
            }
            if (failure == null) {
                onFound(request, limit, segment, found, found.file() != file);
            }
            if (file != null) {
                file.release();
            }
            if (failure != null && file == null && log.segments.indexOf(segment) < 0) {
                // Retention took its name away before the job came to open it.
                read(offset, request.maxBytes(), request.wholeFirstBatch(), request.bound(), request.done());
            } else if (failure != null) {
                request.done().fail(failure);
            }
        });
    }

    /** Of the entries not filed yet, one near the end of what the read may return; only where no offset limit cuts it. */
    private int endHint(Segment segment, int hint, int maxBytes, long limit) {
        if (hint < 0 || limit < log.writtenEnd) {
            return -1;
        }
        return segment.index.pendingPositionBefore((int) Math.min(segment.size, (long) hint + maxBytes));
    }

    /** @param opened the job has opened the file: its reference is ours */
    private void onFound(Request request, long limit, Segment segment, ReadJob.Found found, boolean opened) {
        FileHandle file = found.file();
        // Not by way of the open files: this one may have been closed there meanwhile.
        boolean some = found.length() > 0 && file.retain();
        int at = log.segments.floorIndex(segment.baseOffset);
        boolean present = !log.closed && at >= 0 && log.segments.get(at) == segment;
        if (opened && present) {
            log.context.openFiles().adopt(segment, file);
        } else if (opened) {
            file.release();
        }
        if (some) {
            log.context.warm().add(segment, found.position(), found.position() + found.length());
            positions.remember(found.nextOffset(), segment, found.position() + found.length());
            FileRange range = new FileRange(file, found.position(), found.length());
            answerRange(request, segment, range, found.nextOffset());
            return;
        }
        if (found.length() == ReadJob.CORRUPT) {
            onCorrupt(request, segment, found.position());
            return;
        }
        if (found.length() == ReadJob.NONE && !present) {
            // Replaced or deleted meanwhile: what came behind it may be in another segment now.
            read(request.offset(), request.maxBytes(), request.wholeFirstBatch(), request.bound(), request.done());
            return;
        }
        boolean more = found.length() == ReadJob.NONE && at >= 0 && at + 1 < log.segments.count();
        if (more && log.segments.get(at + 1).baseOffset < limit) {
            readSegment(request, log.segments.get(at + 1).baseOffset, limit, at + 1);
        } else {
            answerNothing(request, request.offset());
        }
    }

    /** Rot that nobody knew of: once it is known how far it goes, what lies behind it can be read, and what lies in it is refused. */
    private void onCorrupt(Request request, Segment segment, int position) {
        positions.clear();
        scrub.examine(segment, position, (found, failure) -> {
            if (failure == null && found) {
                read(request.offset(), request.maxBytes(), request.wholeFirstBatch(), request.bound(), request.done());
            } else {
                request.done()
                        .fail(
                                FailureCode.CORRUPT_BATCH,
                                "segment " + segment.baseOffset + " of " + log.identity.directory()
                                        + " cannot be read at byte " + position + " to find offset "
                                        + request.offset());
            }
        });
    }

    private void answerRange(Request request, Segment segment, FileRange range, long next) {
        if (request.bound() != ReadBound.LAST_STABLE_OFFSET) {
            answer(request, range, next, List.of());
            return;
        }
        aborted.find(request.offset(), next, (found, failure) -> {
            if (failure != null) {
                range.release();
                request.done().fail(failure);
            } else if (log.segments.indexOf(segment) < 0) {
                // Deleted or compacted meanwhile, and what the indexes say fits the range no more.
                range.release();
                read(request.offset(), request.maxBytes(), request.wholeFirstBatch(), request.bound(), request.done());
            } else {
                answer(request, range, next, found);
            }
        });
    }

    /** There is nothing to be read now. */
    private void answerNothing(Request request, long next) {
        answer(request, null, next, List.of());
    }

    private void answer(
            Request request, FileRange range, long next, List<ReadResult.AbortedTransaction> abortedTransactions) {
        request.done()
                .succeed(new ReadResult(
                        range,
                        log.logStart,
                        log.highWatermark,
                        log.lastStableOffset(),
                        abortedTransactions,
                        next < limit(request.bound())));
    }

    /** Gives memory back; the next reads go by the index. */
    void clear() {
        positions.clear();
    }
}
