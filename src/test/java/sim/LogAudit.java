package sim;

import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import storage.ActiveProducer;
import storage.AppendResult;
import storage.EpochEnd;
import storage.ReadBound;
import storage.ReadResult;
import storage.TimestampOffset;

/** Compares all that a reopened log says with what its batches say (S7, S9, P1, P2, P4, I1). */
final class LogAudit {
    private final LogLab lab;
    private final List<LogModel.Batch> batches;

    LogAudit(LogLab lab, List<LogModel.Batch> batches) {
        this.lab = lab;
        this.batches = batches;
    }

    /** The end of the longest run of valid batches in the segment files, as they lie on the disk; -1 when there is none. */
    static long validEnd(SimDisk disk) {
        TreeMap<Long, byte[]> segments = segments(disk);
        long end = -1;
        for (Map.Entry<Long, byte[]> segment : segments.entrySet()) {
            if (end >= 0 && segment.getKey() != end) {
                break;
            }
            end = Math.max(end, segment.getKey());
            for (LogModel.Batch batch : LogLab.batches(segment.getValue())) {
                end = batch.last + 1;
            }
        }
        return end;
    }

    /** Only the last segment file may be longer than its batches: a segment is cut to them before the next one's name is there. */
    static void closedSegmentsHaveNoTail(SimDisk disk) {
        TreeMap<Long, byte[]> segments = segments(disk);
        segments.headMap(segments.isEmpty() ? 0 : segments.lastKey()).forEach((base, content) -> {
            int valid = LogLab.batches(content).stream()
                    .mapToInt(batch -> batch.bytes.length)
                    .sum();
            if (valid < content.length) {
                throw new RuleBroken(
                        "S11 segment roll",
                        "segment " + base + ": " + (content.length - valid) + " bytes behind its batches");
            }
        });
    }

    private static TreeMap<Long, byte[]> segments(SimDisk disk) {
        TreeMap<Long, byte[]> segments = new TreeMap<>();
        for (String line : disk.tree()) {
            String path = line.substring(0, Math.max(line.lastIndexOf(' '), 0));
            if (path.startsWith("a-0/") && path.endsWith(".log")) {
                segments.put(Long.parseLong(path.substring(4, path.length() - 4)), disk.content(path));
            }
        }
        return segments;
    }

    void all() {
        reads();
        timestamps();
        epochs();
        producers();
        verdicts();
    }

    private void reads() {
        long start = lab.log.logStartOffset();
        for (LogModel.Batch batch : batches) {
            for (long offset = Math.max(start, batch.base); offset <= batch.last; offset++) {
                long asked = offset;
                ReadResult result =
                        lab.host.<ReadResult>await(done -> lab.log.read(asked, 1, true, ReadBound.LOG_END, done));
                if (result.range() == null) {
                    throw new RuleBroken("S9 reads", "nothing at " + asked);
                }
                List<LogModel.Batch> got = LogLab.batches(LogLab.bytes(result.range()));
                if (got.isEmpty() || got.get(0).base != batch.base) {
                    throw new RuleBroken(
                            "S9 reads", "asked " + asked + ", got " + (got.isEmpty() ? "nothing" : got.get(0).base));
                }
            }
        }
        Failure failure = lab.host.<ReadResult>awaitFailure(
                done -> lab.log.read(lab.log.logEndOffset() + 1, 100, true, ReadBound.LOG_END, done));
        if (failure.code() != FailureCode.OFFSET_OUT_OF_RANGE) {
            throw new RuleBroken("I13 fetch range", "beyond the end: " + failure);
        }
    }

    private void timestamps() {
        TreeMap<Long, Long> records = new TreeMap<>();
        for (LogModel.Batch batch : batches) {
            for (int i = 0; i < batch.records; i++) {
                if (batch.base + i >= lab.log.logStartOffset()) {
                    records.put(batch.base + i, batch.timestamp - (batch.records - 1) + i);
                }
            }
        }
        for (LogModel.Batch batch : batches) {
            for (long asked = batch.timestamp - 1; asked <= batch.timestamp + 1; asked++) {
                long at = asked;
                long expected = -1;
                for (Map.Entry<Long, Long> record : records.entrySet()) {
                    if (record.getValue() >= at) {
                        expected = record.getKey();
                        break;
                    }
                }
                TimestampOffset got = lab.host.await(done -> lab.log.offsetForTimestamp(at, ReadBound.LOG_END, done));
                if (got.offset() != expected) {
                    throw new RuleBroken("S9 times", "at " + at + " expected " + expected + ", got " + got);
                }
            }
        }
    }

    private void epochs() {
        // An epoch ends where the next one begins; with damage in between that may be anywhere in it.
        for (int i = 0; i < batches.size(); i++) {
            LogModel.Batch batch = batches.get(i);
            boolean last = i == batches.size() - 1;
            long next = last ? lab.log.logEndOffset() : batches.get(i + 1).base;
            if (!last && batches.get(i + 1).leaderEpoch == batch.leaderEpoch) {
                continue;
            }
            EpochEnd got = lab.log.endOfEpoch(batch.leaderEpoch);
            if (got.epoch() != batch.leaderEpoch || got.endOffset() <= batch.last || got.endOffset() > next) {
                throw new RuleBroken("I1 epochs", "end of " + batch.leaderEpoch + " after " + batch.last + ": " + got);
            }
        }
        int last = batches.isEmpty() ? -1 : batches.get(batches.size() - 1).leaderEpoch;
        if (last >= 0 && lab.log.latestEpoch() != last) {
            throw new RuleBroken("I1 epochs", "last epoch " + last + " is said to be " + lab.log.latestEpoch());
        }
    }

    private Map<Long, LogModel.Batch> lastOfProducers(List<LogModel.Batch> among) {
        Map<Long, LogModel.Batch> last = new LinkedHashMap<>();
        for (LogModel.Batch batch : among) {
            if (batch.producerId >= 0) {
                last.put(batch.producerId, batch);
            }
        }
        return last;
    }

    private void producers() {
        Map<Long, LogModel.Batch> expected = lastOfProducers(batches);
        Map<Long, LogModel.Batch> ever = lastOfProducers(lab.model.batches);
        Map<Long, ActiveProducer> got = new LinkedHashMap<>();
        lab.log.activeProducers().forEach(each -> got.put(each.producerId(), each));
        expected.forEach((id, batch) -> check(got.remove(id), batch));
        got.forEach((id, producer) -> {
            LogModel.Batch batch = ever.get(id);
            if (batch == null || batch.last >= lab.log.logStartOffset()) {
                throw new RuleBroken("P4 producer state", "of batches that are not there: " + producer);
            }
            check(producer, batch);
        });
    }

    private static void check(ActiveProducer got, LogModel.Batch batch) {
        boolean same = got != null
                && got.producerEpoch() == batch.producerEpoch
                && got.lastSequence() == batch.sequence + batch.records - 1
                && got.lastTimestampMillis() == batch.timestamp;
        if (!same) {
            throw new RuleBroken(
                    "P4 producer state", "batch at " + batch.base + " sequence " + batch.sequence + ", but " + got);
        }
    }

    /** A repeat is known, a gap is refused, the next batch is taken. */
    private void verdicts() {
        for (LogModel.Batch batch : new ArrayList<>(lastOfProducers(batches).values())) {
            if (batch.base < lab.log.logStartOffset()) {
                continue;
            }
            AppendResult repeat =
                    lab.host.<AppendResult>await(done -> lab.log.append(ByteBuffer.wrap(batch.bytes.clone()), 9, done));
            if (!repeat.duplicate() || repeat.baseOffset() != batch.base) {
                throw new RuleBroken("P1 duplicate", "batch at " + batch.base + " again: " + repeat);
            }
            Failure gap = lab.host.<AppendResult>awaitFailure(
                    done -> lab.append(batch.producerId, batch.sequence + batch.records + 7, 1, 9, done));
            if (gap.code() != FailureCode.OUT_OF_ORDER_SEQUENCE) {
                throw new RuleBroken("P2 sequence", "a gap gave " + gap);
            }
        }
        lab.host.<Void>await(done -> lab.log.beginEpoch(9, done));
        for (LogModel.Batch batch : new ArrayList<>(lastOfProducers(batches).values())) {
            long end = lab.log.logEndOffset();
            AppendResult next = lab.host.<AppendResult>await(
                    done -> lab.append(batch.producerId, batch.sequence + batch.records, 2, 9, done));
            if (next.baseOffset() != end || next.duplicate()) {
                throw new RuleBroken(
                        "P2 sequence", "next batch after " + batch.base + ": " + next + ", end was " + end);
            }
        }
        for (int i = 0; i < 4; i++) {
            lab.host.<AppendResult>await(done -> lab.append(-1, 0, 2, 9, done));
        }
    }
}
