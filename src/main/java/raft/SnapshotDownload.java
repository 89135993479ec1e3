package raft;

/** A follower's fetch of a snapshot, piece after piece (KIP-630, rule R12). With the role it is forgotten; the next leader's begins at the first byte. */
final class SnapshotDownload {
    private final Quorum quorum;
    private OffsetAndEpoch snapshot;
    private long position;
    private long size;
    private boolean writing;
    private long writtenEnd;

    SnapshotDownload(Quorum quorum) {
        this.quorum = quorum;
    }

    boolean active() {
        return snapshot != null;
    }

    void begin(OffsetAndEpoch offered) {
        snapshot = offered;
        position = 0;
        size = -1;
        writing = false;
    }

    void abandon() {
        snapshot = null;
    }

    boolean wantsPiece() {
        return !writing && !quorum.busy();
    }

    RaftRequest.FetchSnapshot request() {
        return new RaftRequest.FetchSnapshot(quorum.clusterId(), quorum.self(), quorum.epoch(), snapshot, position);
    }

    /** Whether the piece is what was asked for. */
    boolean received(RaftResponse.FetchSnapshot piece) {
        int bytes = piece.bytes().remaining();
        boolean fits = active()
                && wantsPiece()
                && piece.snapshot().equals(snapshot)
                && piece.position() == position
                && bytes > 0
                && position + bytes <= piece.size()
                && (size < 0 || size == piece.size());
        if (fits) {
            size = piece.size();
            writing = true;
            writtenEnd = position + bytes;
            quorum.out.task(new RaftOutput.WriteSnapshot(snapshot, position, piece.bytes()));
        }
        return fits;
    }

    /** A piece is in the temporary file. One of a download that was given up, which the host had still to write, is not taken for the one that is awaited. */
    void written(OffsetAndEpoch written, long end) {
        if (active() && writing && written.equals(snapshot) && end == writtenEnd) {
            writing = false;
            position = end;
            if (position == size) {
                OffsetAndEpoch whole = snapshot;
                abandon();
                quorum.work(new RaftOutput.InstallSnapshot(whole));
            }
        }
    }
}
