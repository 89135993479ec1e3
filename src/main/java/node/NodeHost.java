package node;

import common.Failure;
import common.OwnerId;
import common.Peers;
import common.Ports;
import config.Listener;
import protocol.BufferPool;
import protocol.Instance;
import protocol.PeerConnections;
import protocol.PeerDialer;
import services.LogLevels;
import storage.DiskExecutor;

/**
 * What a node needs of the machine it runs on: event loops, and disk executors per log directory. Implemented by verticles/ and by the simulator. Loops are
 * numbered from 0; everything that is given for a loop is confined to it.
 */
public interface NodeHost {

    /** Event loops, > 0. Each carries one storage shard and one server instance; loop 0 also the controller. */
    int loops();

    Ports ports(int loop);

    /** Most bytes that the process may use for objects: bounds that are not configured follow from it. */
    long heapBytes();

    /** Bytes of files that the machine may be taken to keep in its page cache: a guess that costs time only when wrong. */
    long pageCacheBytes();

    /** Names the boot of the machine: the page cache survives while it stays the same (rule C3). Null when that is not known. */
    String bootId();

    /** Files and sockets that the process may have open at once. */
    int openFileLimit();

    /** Runs jobs in log directory {@code directory} (its index in log.dirs); callbacks come on {@code loop}. */
    DiskExecutor disk(int directory, int loop);

    BufferPool buffers(int loop);

    /** Opens connections to other nodes, on {@code loop}. Costs nothing before the first one. */
    PeerDialer dialer(int loop);

    /** The lines of {@code loop} to other nodes, in which this one shows as node {@code nodeId}. */
    default Peers peers(int loop, int nodeId) {
        return new PeerConnections(dialer(loop), buffers(loop), ports(loop).timers(), "node-" + nodeId);
    }

    /** Where other nodes reach a listener of this one that advertises nothing: this machine's name if it listens everywhere, and the port really bound. */
    Peers.Address reachable(Listener listener);

    /** From now on {@code instance} serves, on loop 0, who connects to a listener of controllers; those first who came earlier. Once at most. */
    void serveControllers(Instance instance);

    /** Makes {@code owner} reachable through all Mailboxes of the node; its messages run on {@code loop}. Called while the node starts. */
    <O> void register(OwnerId<O> id, O owner, int loop);

    /** Runs {@code task} on {@code loop}, never inside the caller's stack. */
    void execute(int loop, Runnable task);

    /** The loggers of the process, for kafka-configs. */
    default LogLevels loggers() {
        return LogLevels.NONE;
    }

    /** The node cannot go on (its metadata directory is offline, say): ends the process at once, without a clean mark. Any loop. */
    void halt(Failure why);
}
