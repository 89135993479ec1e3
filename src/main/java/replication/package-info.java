/**
 * A replica's part in its partition: who may append, what an acknowledgement means, what a fetch may see, and the requests
 * that wait for it (rules I1-I12). Owner thread: the storage shard that the partition belongs to. Ports: Clock, Timers,
 * Metrics. Start reading at {@link replication.ReplicaShard}, the calls that others make, then
 * {@link replication.LeaderReplica} and {@link replication.FollowerReplica}.
 */
package replication;
