package services;

import common.Callback;
import common.Mailboxes;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterRequestData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.message.UnregisterBrokerResponseData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;

/** The controllers' quorum, the cluster's features, who leads partitions and where they are, for every door. One instance per server instance, confined to its owner. */
public final class ClusterService {
    private final ControllerCalls controller;
    private final long timeoutMillis;

    /** @param timeoutMillis of calls where the client gives no time-out, > 0 */
    public ClusterService(Mailboxes mailboxes, long timeoutMillis) {
        this.controller = new ControllerCalls(mailboxes);
        this.timeoutMillis = timeoutMillis;
    }

    public void describeQuorum(DescribeQuorumRequestData request, Callback<DescribeQuorumResponseData> done) {
        controller.call((owner, reply) -> owner.describeQuorum(request, reply), timeoutMillis, done);
    }

    public void addRaftVoter(AddRaftVoterRequestData request, Callback<AddRaftVoterResponseData> done) {
        controller.call((owner, reply) -> owner.addRaftVoter(request, reply), request.timeoutMs(), done);
    }

    public void removeRaftVoter(RemoveRaftVoterRequestData request, Callback<RemoveRaftVoterResponseData> done) {
        controller.call((owner, reply) -> owner.removeRaftVoter(request, reply), timeoutMillis, done);
    }

    public void updateFeatures(UpdateFeaturesRequestData request, Callback<UpdateFeaturesResponseData> done) {
        controller.call((owner, reply) -> owner.updateFeatures(request, reply), request.timeoutMs(), done);
    }

    public void unregisterBroker(UnregisterBrokerRequestData request, Callback<UnregisterBrokerResponseData> done) {
        controller.call((owner, reply) -> owner.unregisterBroker(request, reply), timeoutMillis, done);
    }

    public void electLeaders(ElectLeadersRequestData request, Callback<ElectLeadersResponseData> done) {
        controller.call((owner, reply) -> owner.electLeaders(request, reply), request.timeoutMs(), done);
    }

    public void reassign(
            AlterPartitionReassignmentsRequestData request, Callback<AlterPartitionReassignmentsResponseData> done) {
        controller.call((owner, reply) -> owner.reassign(request, reply), request.timeoutMs(), done);
    }
}
