package node;

import common.Callback;
import common.FailureCode;
import java.util.function.IntConsumer;
import raft.RaftOutput;
import raft.RaftResponse;

/** Lines to other controllers that also tell of the nodes whose process was not there (L1): such a node may be a broker, too. */
final class WatchedLines implements MetadataReplica.Wire {
    private final MetadataReplica.Wire lines;
    private final IntConsumer refused;

    WatchedLines(MetadataReplica.Wire lines, IntConsumer refused) {
        this.lines = lines;
        this.refused = refused;
    }

    @Override
    public void send(RaftOutput.Send send, Callback<RaftResponse> done) {
        lines.send(send, (answer, failure) -> {
            done.done(answer, failure);
            if (failure != null && failure.code() == FailureCode.PEER_REFUSED) {
                refused.accept(send.to().id());
            }
        });
    }

    @Override
    public void close() {
        lines.close();
    }
}
