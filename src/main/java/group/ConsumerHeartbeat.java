package group;

import coordinator.Coordinator;
import coordinator.Result;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;

/**
 * A heartbeat of KIP-848 as the coordinator takes it, without a refusal by {@link ConsumerHeartbeatRules}. It may be run in two steps: what it says is recorded; the
 * answer waits for an assignment that a worker computes. Made for one request; confined to the shard once it was handed over.
 */
public final class ConsumerHeartbeat implements Coordinator.Write<GroupShard, ConsumerGroupHeartbeatResponseData> {
    private final ClientInfo client;
    private final ConsumerGroupHeartbeatRequestData request;
    private FirstStep first;

    public ConsumerHeartbeat(ClientInfo client, ConsumerGroupHeartbeatRequestData request) {
        this.client = client;
        this.request = request;
    }

    @Override
    public Result<?, ConsumerGroupHeartbeatResponseData> run(GroupShard shard) {
        return shard.consumer().heartbeat(this);
    }

    ClientInfo client() {
        return client;
    }

    ConsumerGroupHeartbeatRequestData request() {
        return request;
    }

    boolean joining() {
        return request.memberEpoch() == ConsumerMember.JOINING;
    }

    /** null while it is run for the first time. */
    FirstStep first() {
        return first;
    }

    void waitsFor(FirstStep step) {
        first = step;
    }
}
