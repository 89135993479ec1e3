package protocol;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mailboxes;
import common.OwnerCall;
import common.OwnerId;
import common.PartitionId;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import metadata.MetadataImage;
import records.RecordError;
import replication.ReplicaShard;
import storage.ActiveProducer;
import storage.AppendResult;
import storage.EpochEnd;
import storage.FileRange;
import storage.MemoryFile;
import storage.ReadBound;
import storage.ReadResult;
import storage.TimestampOffset;

/** A storage shard of a few lines: one offset per batch, reads from one file per partition; partitions can be told to fail. Also the way to it. */
final class FakeShard implements ReplicaShard, Mailboxes {
    /** The log of one partition. */
    static final class Log {
        final MemoryFile file = new MemoryFile();
        final List<Long> positions = new ArrayList<>();
        Failure failure;
        List<RecordError> recordErrors = List.of();
        long logStart;

        long end() {
            return positions.size();
        }
    }

    private record Parked(FetchId id, Read request, int minBytes, Callback<List<ReadOutcome>> done) {}

    private final Map<PartitionId, Log> logs = new LinkedHashMap<>();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final Map<FetchId, Parked> parked = new LinkedHashMap<>();
    final List<Read> reads = new ArrayList<>();
    /** Where consumers with a rack are sent; -1: nowhere. */
    int nearer = -1;

    final Map<SessionId, Map<PartitionId, ReadPartition>> sessions = new LinkedHashMap<>();
    final List<SessionRead> newsAsked = new ArrayList<>();

    Log log(PartitionId id) {
        return logs.computeIfAbsent(id, unused -> new Log());
    }

    int parked() {
        return parked.size();
    }

    int readers() {
        return logs.values().stream().mapToInt(each -> each.file.readers()).sum();
    }

    /** Runs what the shard and its callers have to do. */
    void run() {
        Runnable next = tasks.poll();
        while (next != null) {
            next.run();
            next = tasks.poll();
        }
    }

    /** The waits of all parked fetches end. */
    void timeOut() {
        for (FetchId id : List.copyOf(parked.keySet())) {
            cancelFetch(id);
        }
        run();
    }

    @Override
    @SuppressWarnings("unchecked")
    public <O, T> void call(OwnerId<O> to, OwnerCall<O, T> call, long timeoutMillis, Callback<T> done) {
        tasks.add(() -> call.run((O) this, (value, failure) -> tasks.add(() -> done.done(value, failure))));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <O> void tell(OwnerId<O> to, Consumer<O> message) {
        tasks.add(() -> message.accept((O) this));
    }

    private static <Q, T> List<Outcome<T>> each(List<Q> questions, Function<Q, Outcome<T>> answer) {
        List<Outcome<T>> all = new ArrayList<>();
        questions.forEach(each -> all.add(answer.apply(each)));
        return all;
    }

    @Override
    public void writeMarkers(List<Marker> markers, Callback<List<Outcome<Void>>> done) {
        done.succeed(each(markers, each -> new Outcome<>(null, log(each.partition()).failure)));
    }

    @Override
    public void produce(Produce request, Callback<List<Outcome<Produced>>> done) {
        List<Outcome<Produced>> outcomes = each(request.partitions(), each -> {
            Log log = log(each.partition());
            if (log.failure != null) {
                Produced detail =
                        log.recordErrors.isEmpty() ? null : new Produced(null, log.logStart, log.recordErrors);
                return new Outcome<>(detail, log.failure);
            }
            ByteBuffer records = each.records();
            log.positions.add(log.file.append(records));
            long offset = log.end() - 1;
            return Outcome.of(new Produced(new AppendResult(offset, offset, -1, false), log.logStart, List.of()));
        });
        request.records().release();
        done.succeed(outcomes);
        for (Parked each : List.copyOf(parked.values())) {
            parked.remove(each.id);
            fetch(each.id, each.request, each.minBytes, 1, each.done);
        }
    }

    @Override
    public void fetch(FetchId id, Read request, int minBytes, long maxWaitMillis, Callback<List<ReadOutcome>> done) {
        reads.add(request);
        List<ReadOutcome> outcomes = new ArrayList<>();
        int left = request.maxBytes();
        int bytes = 0;
        boolean urgent = false;
        for (ReadPartition each : request.partitions()) {
            boolean sent = nearer >= 0
                    && request.reader().rack() != null
                    && !request.reader().rack().isEmpty();
            ReadOutcome outcome = sent
                    ? new ReadOutcome(new ReadResult(null, 0, 1, 1, List.of(), false), null, null, 1, 3, nearer)
                    : read(each, left, bytes == 0, request.bound());
            outcomes.add(outcome);
            urgent |= outcome.urgent();
            int got = outcome.result() == null ? 0 : outcome.result().bytes();
            bytes += got;
            left -= got;
        }
        if (bytes < minBytes && !urgent && maxWaitMillis > 0) {
            for (ReadOutcome each : outcomes) {
                if (each.result().range() != null) {
                    each.result().range().release();
                }
            }
            parked.put(id, new Parked(id, request, minBytes, done));
            return;
        }
        done.succeed(outcomes);
    }

    private ReadOutcome read(ReadPartition wanted, int most, boolean first, ReadBound bound) {
        Log log = log(wanted.partition());
        if (log.failure != null) {
            return new ReadOutcome(null, null, log.failure, 1, 3);
        }
        if (wanted.fetchOffset() < log.logStart || wanted.fetchOffset() > log.end()) {
            ReadResult nothing = new ReadResult(null, log.logStart, log.end(), log.end(), List.of(), false);
            return new ReadOutcome(nothing, null, Failure.of(FailureCode.OFFSET_OUT_OF_RANGE, "out of range"), 1, 3);
        }
        FileRange range = null;
        if (wanted.fetchOffset() < log.end()) {
            long from = log.positions.get((int) wanted.fetchOffset());
            int next = (int) wanted.fetchOffset() + 1;
            long whole = next < log.end() ? log.positions.get(next) : log.file.size();
            long length = Math.min(log.file.size() - from, Math.min(most, wanted.maxBytes()));
            length = first ? Math.max(length, whole - from) : length;
            if (length > 0) {
                log.file.retain();
                range = new FileRange(log.file, from, (int) length);
            }
        }
        List<ReadResult.AbortedTransaction> aborted =
                bound == ReadBound.LAST_STABLE_OFFSET ? List.of(new ReadResult.AbortedTransaction(5, 0)) : List.of();
        return new ReadOutcome(
                new ReadResult(range, log.logStart, log.end(), log.end(), aborted, false), null, null, 1, 3);
    }

    @Override
    public void fetchNews(SessionRead request, Callback<List<News>> done) {
        Map<PartitionId, ReadPartition> session =
                sessions.computeIfAbsent(request.session(), id -> new LinkedHashMap<>());
        request.forgotten().forEach(session::remove);
        request.changed().forEach(each -> session.put(each.partition(), each));
        newsAsked.add(request);
        List<ReadPartition> all = List.copyOf(session.values());
        fetch(
                fetchOf(request.session()),
                new Read(all, request.maxBytes(), ReadBound.LOG_END, request.reader()),
                request.minBytes(),
                request.maxWaitMillis(),
                (outcomes, failure) -> {
                    List<News> news = new ArrayList<>();
                    for (int i = 0; i < outcomes.size(); i++) {
                        news.add(new News(all.get(i).partition(), outcomes.get(i)));
                    }
                    done.succeed(news);
                });
    }

    private static FetchId fetchOf(SessionId session) {
        return new FetchId(-1 - session.caller(), session.number());
    }

    @Override
    public void hurrySession(SessionId session) {
        cancelFetch(fetchOf(session));
    }

    @Override
    public void endSession(SessionId session) {
        sessions.remove(session);
    }

    @Override
    public void cancelFetch(FetchId id) {
        Parked waiting = parked.remove(id);
        if (waiting != null) {
            fetch(id, waiting.request, waiting.minBytes, 0, waiting.done);
        }
    }

    @Override
    public void listOffsets(List<OffsetQuery> queries, Callback<List<Outcome<TimestampOffset>>> done) {
        done.succeed(each(queries, query -> {
            Log log = log(query.partition());
            return log.failure != null
                    ? new Outcome<>(null, log.failure)
                    : Outcome.of(new TimestampOffset(-1, query.timestamp() == -2 ? log.logStart : log.end(), 3));
        }));
    }

    @Override
    public void endOffsets(List<EpochQuery> queries, Callback<List<Outcome<EpochEnd>>> done) {
        done.succeed(each(queries, query -> {
            Log log = log(query.partition());
            return log.failure != null
                    ? new Outcome<>(null, log.failure)
                    : Outcome.of(new EpochEnd(query.leaderEpoch(), log.end()));
        }));
    }

    @Override
    public void deleteRecords(List<DeleteQuery> queries, Callback<List<Outcome<Long>>> done) {
        done.succeed(each(queries, query -> {
            Log log = log(query.partition());
            long to = query.offset() == -1 ? log.end() : query.offset();
            if (to > log.end()) {
                return Outcome.failed(FailureCode.OFFSET_OUT_OF_RANGE, "above the high watermark");
            }
            log.logStart = Math.max(log.logStart, to);
            return Outcome.of(log.logStart);
        }));
    }

    @Override
    public void describeProducers(List<PartitionId> partitions, Callback<List<Outcome<List<ActiveProducer>>>> done) {
        done.succeed(each(partitions, id -> {
            Log log = log(id);
            return log.failure != null
                    ? new Outcome<>(null, log.failure)
                    : Outcome.of(List.of(new ActiveProducer(77, (short) 2, 9, 123, -1, -1)));
        }));
    }

    @Override
    public void describeLogDirs(Callback<List<LogDirInfo>> done) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void applyImage(MetadataImage image, Callback<Void> done) {
        throw new UnsupportedOperationException();
    }
}
