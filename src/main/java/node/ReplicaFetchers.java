package node;

import java.util.LinkedHashMap;
import java.util.Map;
import node.FollowedPartitions.Followed;

/** The fetchers of one shard, one for each node that leads some of its partitions. Confined to the shard. */
final class ReplicaFetchers implements FollowedPartitions.Listener {
    private final ReplicaFetcher.Setup setup;
    private final Map<Integer, ReplicaFetcher> byLeader = new LinkedHashMap<>();

    ReplicaFetchers(ReplicaFetcher.Setup setup) {
        this.setup = setup;
    }

    @Override
    public void began(Followed followed) {
        byLeader.computeIfAbsent(followed.leader(), leader -> new ReplicaFetcher(setup, leader))
                .add(followed);
    }

    @Override
    public void ended(Followed followed) {
        ReplicaFetcher fetcher = byLeader.get(followed.leader());
        if (fetcher == null) {
            return;
        }
        fetcher.remove(followed);
        if (fetcher.isEmpty()) {
            byLeader.remove(followed.leader());
            fetcher.close();
        }
    }
}
