package protocol;

import common.Callback;
import common.Failure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import metadata.MetadataImage;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.ReplicaState;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import replication.ReplicaShard.News;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;
import replication.ReplicaShard.Reader;
import services.FetchContext;
import services.FetchEntry;
import services.FetchService;
import services.FetchSessions;
import services.FollowerTurn;
import storage.ReadBound;

/** Reads records, with incremental sessions (KIP-227) and long polling. Records are sent from their files (see {@link FileRangeRecords}). */
public final class FetchHandler implements ApiHandler {
    /** First version whose requester has its replica id in ReplicaState (KIP-903). */
    private static final short REPLICA_STATE = 15;
    /** First version in which a consumer says its rack, and may be sent to a follower (KIP-392). */
    private static final short RACKS = 11;

    private final FetchService service;
    private final FetchSessions sessions;
    private final int maxBytes;
    private final boolean byRack;

    /**
     * @param maxBytes fetch.max.bytes: largest response, save that the first batch always comes whole
     * @param byRack consumers are sent to a replica in their rack (replica.selector.class)
     */
    public FetchHandler(FetchService service, FetchSessions sessions, int maxBytes, boolean byRack) {
        this.service = service;
        this.sessions = sessions;
        this.maxBytes = maxBytes;
        this.byRack = byRack;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.FETCH;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        FetchRequestData request = (FetchRequestData) message;
        ApiMessage refusal = Isolation.refusal(key(), context.apiVersion(), request, request.isolationLevel());
        if (refusal != null) {
            respond.succeed(refusal);
            return;
        }
        Reader reader = reader(request, context.apiVersion());
        FetchContext session = sessions.begin(request, context.apiVersion(), reader.isReplica());
        if (session.error() != Errors.NONE) {
            respond.succeed(new FetchResponseData().setErrorCode(session.error().code()));
            return;
        }
        boolean readCommitted = Isolation.isCommitted(request.isolationLevel());
        FollowerTurn turn = reader.isReplica() ? session.followerTurn() : null;
        if (turn != null && new NewsPending(context, session, turn, reader, respond).begin(request)) {
            return;
        }
        Pending pending = new Pending(context, session, readCommitted, reader, respond);
        List<ReadPartition> reads = pending.resolve();
        if (reads.isEmpty()) {
            pending.finish(List.of());
            return;
        }
        int most = Math.max(0, Math.min(request.maxBytes(), maxBytes));
        Runnable cancel = service.fetch(
                new FetchService.Request(
                        reads,
                        Math.min(request.minBytes(), most),
                        most,
                        Math.max(0, request.maxWaitMs()),
                        bound(request, reader),
                        reader),
                (outcomes, failure) -> pending.finish(failure == null ? outcomes : pending.failed(failure)));
        context.onConnectionClosed(cancel);
        session.waits(cancel);
    }

    private Reader reader(FetchRequestData request, short version) {
        ReplicaState state = request.replicaState();
        int id = version >= REPLICA_STATE ? state.replicaId() : request.replicaId();
        // Special negative ids are those of debugging consumers.
        if (id >= 0) {
            return new Reader(id, version >= REPLICA_STATE ? state.replicaEpoch() : -1);
        }
        if (version < RACKS) {
            return Reader.CONSUMER;
        }
        return byRack && !request.rackId().isEmpty() ? new Reader(-1, -1, request.rackId()) : Reader.ANYWHERE;
    }

    /** What is not committed, and open transactions, are a replica's to have, whatever isolation it names. */
    private static ReadBound bound(FetchRequestData request, Reader reader) {
        if (reader.isReplica()) {
            return ReadBound.LOG_END;
        }
        return Isolation.isCommitted(request.isolationLevel())
                ? ReadBound.LAST_STABLE_OFFSET
                : ReadBound.HIGH_WATERMARK;
    }

    /** One request between its questions and its answer. */
    private static final class Pending {
        private final RequestContext context;
        private final FetchContext session;
        private final boolean readCommitted;
        private final Reader reader;
        private final Callback<ApiMessage> respond;
        private final List<FetchEntry> entries;
        /** Per entry: why it is not read, null if it is. */
        private final Errors[] refused;

        private int asked;

        Pending(
                RequestContext context,
                FetchContext session,
                boolean readCommitted,
                Reader reader,
                Callback<ApiMessage> respond) {
            this.context = context;
            this.session = session;
            this.readCommitted = readCommitted;
            this.reader = reader;
            this.respond = respond;
            this.entries = session.entries();
            this.refused = new Errors[entries.size()];
        }

        List<ReadPartition> resolve() {
            MetadataImage image = context.image();
            List<ReadPartition> reads = new ArrayList<>(entries.size());
            for (int i = 0; i < refused.length; i++) {
                FetchEntry entry = entries.get(i);
                Errors error = FetchAnswers.resolve(image, entry, reader);
                if (error == Errors.NONE) {
                    reads.add(entry.read());
                } else {
                    refused[i] = error;
                }
            }
            asked = reads.size();
            return reads;
        }

        List<ReadOutcome> failed(Failure failure) {
            List<ReadOutcome> all = new ArrayList<>(asked);
            for (int i = 0; i < asked; i++) {
                all.add(new ReadOutcome(null, null, failure, -1, -1));
            }
            return all;
        }

        void finish(List<ReadOutcome> outcomes) {
            Errors late = session.conclude();
            if (late != Errors.NONE) {
                outcomes.forEach(FetchHandler::release);
                respond.succeed(new FetchResponseData().setErrorCode(late.code()));
                return;
            }
            FetchAnswers answers = new FetchAnswers(context, session, readCommitted, reader);
            int next = 0;
            for (int i = 0; i < refused.length; i++) {
                if (refused[i] == null) {
                    answers.tell(entries.get(i), outcomes.get(next++));
                } else {
                    answers.tell(entries.get(i), refused[i]);
                }
            }
            respond.succeed(answers.response());
        }
    }

    private static void release(ReadOutcome outcome) {
        if (outcome.result() != null && outcome.result().range() != null) {
            outcome.result().range().release();
        }
    }

    /** An incremental fetch of a follower, between what it says and what there is new for it. */
    private final class NewsPending {
        private final RequestContext context;
        private final FetchContext session;
        private final FollowerTurn turn;
        private final Reader reader;
        private final Callback<ApiMessage> respond;
        private final Map<FetchEntry, Errors> refused = new LinkedHashMap<>();

        NewsPending(
                RequestContext context,
                FetchContext session,
                FollowerTurn turn,
                Reader reader,
                Callback<ApiMessage> respond) {
            this.context = context;
            this.session = session;
            this.turn = turn;
            this.reader = reader;
            this.respond = respond;
        }

        /** False, and nothing done, if not all goes to one shard. */
        boolean begin(FetchRequestData request) {
            for (FetchEntry entry : turn.untold()) {
                Errors error = FetchAnswers.resolve(context.image(), entry, reader);
                if (error != Errors.NONE) {
                    refused.put(entry, error);
                } else if (!turn.tell(entry, service.shardOf(entry.read().partition()))) {
                    return false;
                }
            }
            if (turn.isEmpty()) {
                finish(List.of());
                return true;
            }
            int most = Math.max(0, Math.min(request.maxBytes(), maxBytes));
            int wait = refused.isEmpty() ? Math.max(0, request.maxWaitMs()) : 0;
            Runnable cancel = service.fetchNews(
                    turn,
                    reader,
                    new FetchService.Limits(Math.min(request.minBytes(), most), most, wait),
                    (news, failure) -> finish(news));
            context.onConnectionClosed(cancel);
            session.waits(cancel);
            return true;
        }

        private void finish(List<News> news) {
            FetchAnswers answers = new FetchAnswers(context, session, false, reader);
            for (News each : news) {
                FetchEntry entry = turn.entry(each.partition());
                if (entry == null) {
                    release(each.outcome());
                } else {
                    answers.tell(entry, each.outcome());
                }
            }
            refused.forEach(answers::tell);
            respond.succeed(answers.response());
        }
    }
}
