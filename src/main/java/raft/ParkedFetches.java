package raft;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A leader's Fetches that wait: for records or a higher high watermark, or for the disk to give the records. One per replica. */
final class ParkedFetches {
    private final Quorum quorum;
    private final Map<Long, Parked> parked = new LinkedHashMap<>();
    private final Map<Long, RaftRequest> reading = new LinkedHashMap<>();

    private record Parked(RaftRequest.Fetch fetch, long deadline) {}

    ParkedFetches(Quorum quorum) {
        this.quorum = quorum;
    }

    /** A Fetch from an offset at which the logs agree. */
    void answer(long now, long token, RaftRequest.Fetch fetch) {
        replace(fetch.replica());
        if (hasNews(fetch) || fetch.maxWaitMillis() <= 0) {
            give(token, fetch);
        } else {
            parked.put(token, new Parked(fetch, now + fetch.maxWaitMillis()));
        }
    }

    /** A replica waits for one answer at a time: an older Fetch of it has lost its asker. */
    private void replace(ReplicaKey replica) {
        List<Long> older = new ArrayList<>();
        parked.forEach((token, each) -> {
            if (each.fetch.replica().equals(replica)) {
                older.add(token);
            }
        });
        older.forEach(token -> give(token, parked.remove(token).fetch));
    }

    private boolean hasNews(RaftRequest.Fetch fetch) {
        return fetch.end().offset() < quorum.end().offset() || fetch.highWatermark() < quorum.highWatermark();
    }

    private void give(long token, RaftRequest.Fetch fetch) {
        long from = fetch.end().offset();
        if (from < quorum.end().offset()) {
            reading.put(token, fetch);
            quorum.out.task(new RaftOutput.Read(token, from, quorum.end().offset()));
        } else {
            records(token, ByteBuffer.allocate(0));
        }
    }

    private void records(long token, ByteBuffer records) {
        quorum.out.reply(
                token,
                new RaftResponse.Fetch(quorum.head(RaftError.NONE), quorum.highWatermark(), null, null, records));
    }

    void snapshot(long token, RaftRequest.FetchSnapshot fetch) {
        reading.put(token, fetch);
        quorum.out.task(new RaftOutput.ReadSnapshot(token, fetch.snapshot(), fetch.position()));
    }

    /** Null: they could not be read. */
    void recordsRead(long token, ByteBuffer records) {
        if (reading.remove(token) == null) {
            return;
        }
        if (records == null) {
            fail(token, RaftError.UNKNOWN_SERVER_ERROR);
        } else {
            records(token, records);
        }
    }

    /** @param size of the whole snapshot, -1: it is not there */
    void snapshotRead(long token, long size, ByteBuffer bytes) {
        RaftRequest asked = reading.remove(token);
        if (!(asked instanceof RaftRequest.FetchSnapshot fetch)) {
            return;
        }
        if (size < 0) {
            fail(token, RaftError.SNAPSHOT_NOT_FOUND);
        } else if (fetch.position() >= size) {
            fail(token, RaftError.POSITION_OUT_OF_RANGE);
        } else {
            quorum.out.reply(
                    token,
                    new RaftResponse.FetchSnapshot(
                            quorum.head(RaftError.NONE), fetch.snapshot(), size, fetch.position(), bytes));
        }
    }

    private void fail(long token, RaftError error) {
        quorum.out.reply(token, new RaftResponse.Plain(quorum.head(error)));
    }

    /** Gives those that need not or must not wait any longer. */
    void tick(long now) {
        List<Long> due = new ArrayList<>();
        parked.forEach((token, each) -> {
            if (each.deadline <= now || hasNews(each.fetch)) {
                due.add(token);
            }
        });
        due.forEach(token -> give(token, parked.remove(token).fetch));
    }

    long wakeAt() {
        long first = Long.MAX_VALUE;
        for (Parked each : parked.values()) {
            first = Math.min(first, each.deadline);
        }
        return first;
    }

    /** The leadership is over: what was read from then on might be another leader's. */
    void close() {
        List<Long> tokens = new ArrayList<>(parked.keySet());
        tokens.addAll(reading.keySet());
        parked.clear();
        reading.clear();
        tokens.forEach(token -> fail(token, RaftError.NOT_LEADER_OR_FOLLOWER));
    }
}
