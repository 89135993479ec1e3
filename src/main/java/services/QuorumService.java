package services;

import common.Callback;
import common.Mailboxes;
import common.OwnerCall;
import common.OwnerId;
import controller.MetadataQuorum;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.BeginQuorumEpochRequestData;
import org.apache.kafka.common.message.BeginQuorumEpochResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.EndQuorumEpochRequestData;
import org.apache.kafka.common.message.EndQuorumEpochResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchSnapshotRequestData;
import org.apache.kafka.common.message.FetchSnapshotResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterRequestData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.UpdateRaftVoterRequestData;
import org.apache.kafka.common.message.UpdateRaftVoterResponseData;
import org.apache.kafka.common.message.VoteRequestData;
import org.apache.kafka.common.message.VoteResponseData;

/** This node's replica of the metadata log, for who comes by a listener of controllers. Confined to its caller's owner. */
public final class QuorumService {
    private static final OwnerId<MetadataQuorum> QUORUM = new OwnerId<>(MetadataQuorum.class, 0);
    /** Nobody who waits longer for news is still there. */
    private static final int LONGEST_WAIT_MILLIS = 60_000;

    private final Mailboxes mailboxes;
    private final long timeoutMillis;

    /** @param timeoutMillis of calls that wait for nothing but disks, > 0 */
    public QuorumService(Mailboxes mailboxes, long timeoutMillis) {
        this.mailboxes = mailboxes;
        this.timeoutMillis = timeoutMillis;
    }

    public void vote(VoteRequestData request, Callback<VoteResponseData> done) {
        call((quorum, reply) -> quorum.vote(request, reply), 0, done);
    }

    public void beginQuorumEpoch(BeginQuorumEpochRequestData request, Callback<BeginQuorumEpochResponseData> done) {
        call((quorum, reply) -> quorum.beginQuorumEpoch(request, reply), 0, done);
    }

    public void endQuorumEpoch(EndQuorumEpochRequestData request, Callback<EndQuorumEpochResponseData> done) {
        call((quorum, reply) -> quorum.endQuorumEpoch(request, reply), 0, done);
    }

    public void fetch(FetchRequestData request, Callback<FetchResponseData> done) {
        request.setMaxWaitMs(Math.min(request.maxWaitMs(), LONGEST_WAIT_MILLIS));
        call((quorum, reply) -> quorum.fetch(request, reply), request.maxWaitMs(), done);
    }

    public void fetchSnapshot(FetchSnapshotRequestData request, Callback<FetchSnapshotResponseData> done) {
        call((quorum, reply) -> quorum.fetchSnapshot(request, reply), 0, done);
    }

    public void updateRaftVoter(UpdateRaftVoterRequestData request, Callback<UpdateRaftVoterResponseData> done) {
        call((quorum, reply) -> quorum.updateRaftVoter(request, reply), 0, done);
    }

    public void addRaftVoter(AddRaftVoterRequestData request, Callback<AddRaftVoterResponseData> done) {
        call((quorum, reply) -> quorum.addRaftVoter(request, reply), request.timeoutMs(), done);
    }

    public void removeRaftVoter(RemoveRaftVoterRequestData request, Callback<RemoveRaftVoterResponseData> done) {
        call((quorum, reply) -> quorum.removeRaftVoter(request, reply), 0, done);
    }

    public void describeQuorum(DescribeQuorumRequestData request, Callback<DescribeQuorumResponseData> done) {
        call((quorum, reply) -> quorum.describeQuorum(request, reply), 0, done);
    }

    /** @param listener by which the asker reaches controllers */
    public void describeControllers(String listener, Callback<DescribeClusterResponseData> done) {
        call((quorum, reply) -> quorum.describeControllers(listener, reply), 0, done);
    }

    /** @param waits milliseconds for which the answer may be kept on purpose; negative: none */
    private <T> void call(OwnerCall<MetadataQuorum, T> call, long waits, Callback<T> done) {
        mailboxes.call(QUORUM, call, timeoutMillis + Math.max(0, waits), done);
    }
}
