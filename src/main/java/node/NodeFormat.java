package node;

import common.Mutations;
import common.Peers;
import config.BrokerConfig;
import config.Listener;
import java.util.List;
import java.util.function.Function;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import raft.Endpoint;
import raft.ReplicaKey;
import raft.VoterSet;
import storage.DiskJob;
import storage.LogDirectory;

/**
 * Makes the log directories of a node before its first start, for those who want to say which cluster it is of, or who votes in a new quorum (as
 * kafka-storage format). A node that is started without does it by itself.
 */
public final class NodeFormat {
    private final BrokerConfig config;
    private final String clusterId;
    private final VoterSet voters;
    private final long wallMillis;

    /** A voter of a new quorum, and where other controllers reach it. */
    public record Founder(int id, String host, int port, Uuid directoryId) {}

    /**
     * @param clusterId of the cluster that the node belongs to
     * @param founders of a new quorum; empty: the settings say who votes, or the cluster that is there already
     */
    public NodeFormat(BrokerConfig config, String clusterId, List<Founder> founders, long wallMillis) {
        this.config = config;
        this.clusterId = clusterId;
        this.voters = new VoterSet(founders.stream().map(this::voter).toList());
        this.wallMillis = wallMillis;
    }

    private VoterSet.Voter voter(Founder founder) {
        Endpoint endpoint = new Endpoint(QuorumEndpoints.listener(config.node()), founder.host, founder.port);
        return new VoterSet.Voter(key(founder.id, founder.directoryId), List.of(endpoint));
    }

    private static ReplicaKey key(int id, Uuid directory) {
        return new ReplicaKey(id, directory.getMostSignificantBits(), directory.getLeastSignificantBits());
    }

    /** The node of {@code config} as the one voter of a new quorum. */
    public static Founder alone(BrokerConfig config, Uuid directoryId, Function<Listener, Peers.Address> reachable) {
        Endpoint endpoint = QuorumEndpoints.of(config, reachable).get(0);
        return new Founder(config.node().nodeId(), endpoint.host(), endpoint.port(), directoryId);
    }

    /**
     * Makes one of them. True: it is made; false: it was before, and stays as it is.
     *
     * @param metadata the metadata log will lie in it
     */
    public DiskJob<Boolean> directory(boolean metadata, Uuid directoryId) {
        LogDirectory.OpenRequest request = new LogDirectory.OpenRequest(
                config.node().nodeId(), clusterId, clusterId, directoryId.toString(), Mutations.NONE);
        // Who is no voter learns from the others who is.
        boolean votes = metadata && voters.contains(key(config.node().nodeId(), directoryId));
        return LogDirectory.format(request, files -> {
            if (votes) {
                files.createDirectory(LogDirectories.METADATA_DIRECTORY);
                files.syncDirectory("");
                new SnapshotFiles(LogDirectories.METADATA_DIRECTORY)
                        .write(new SnapshotFiles.Content(MetadataImage.empty(clusterId), 0, voters), 0, wallMillis)
                        .run(files);
            }
            return null;
        });
    }
}
