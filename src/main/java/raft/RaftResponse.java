package raft;

import java.nio.ByteBuffer;
import java.util.List;

/** Answers to {@link RaftRequest}s. */
public sealed interface RaftResponse {
    Head head();

    /**
     * What each answer says, errors too (KIP-595: so that the asker finds the leader).
     *
     * @param epoch the answerer's
     * @param leaderId of that epoch, -1 when unknown
     * @param endpoints of that leader as far as known
     */
    record Head(RaftError error, int epoch, int leaderId, List<Endpoint> endpoints) {}

    /** To a Vote. */
    record Vote(Head head, boolean granted) implements RaftResponse {}

    /** To a BeginQuorumEpoch, an EndQuorumEpoch and to changes of voters; to any request that failed before it was looked at. */
    record Plain(Head head) implements RaftResponse {}

    /**
     * To a Fetch. At most one of {@code diverging}, {@code snapshot} and a non-empty {@code records} is there (rule R9).
     *
     * @param highWatermark of the leader; -1: it knows none
     * @param diverging largest epoch of the leader that is not above the asked one, and its end; null: the logs agree
     * @param snapshot to be fetched instead; null for none
     * @param records whole batches from the asked offset on; never null
     */
    record Fetch(Head head, long highWatermark, OffsetAndEpoch diverging, OffsetAndEpoch snapshot, ByteBuffer records)
            implements RaftResponse {}

    /** To a FetchSnapshot: the size of all of it, and the bytes from {@code position} on. */
    record FetchSnapshot(Head head, OffsetAndEpoch snapshot, long size, long position, ByteBuffer bytes)
            implements RaftResponse {}
}
