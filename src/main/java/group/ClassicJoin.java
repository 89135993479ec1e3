package group;

import common.Callback;
import coordinator.Coordinator;
import coordinator.Result;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;

/**
 * A JoinGroup as the coordinator takes it: group id and session timeout are valid. In a large group of KIP-848 it is run in two steps, as {@link ConsumerHeartbeat}.
 * Made for one request; confined to the shard once it was handed over.
 */
public final class ClassicJoin implements Coordinator.ParkingWrite<GroupShard, JoinGroupResponseData> {
    private final ClientInfo client;
    private final JoinGroupRequestData request;
    private FirstStep first;

    public ClassicJoin(ClientInfo client, JoinGroupRequestData request) {
        this.client = client;
        this.request = request;
    }

    @Override
    public Result<?, Void> run(GroupShard shard, Callback<JoinGroupResponseData> done) {
        return shard.classic().join(this, done);
    }

    ClientInfo client() {
        return client;
    }

    JoinGroupRequestData request() {
        return request;
    }

    /** null while it is run for the first time. */
    FirstStep first() {
        return first;
    }

    void waitsFor(FirstStep step) {
        first = step;
    }
}
