package node;

import common.Callback;
import common.Clock;
import controller.MetadataQuorum;
import java.util.function.Function;
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
import raft.RaftRequest;
import raft.RaftResponse;

/** What others ask of this node's replica of the metadata, in Kafka's messages. On the controller's owner. */
final class MetadataQuorumNode implements MetadataQuorum {
    private final MetadataReplica replica;
    private final QuorumDescription description;
    private final RaftAnswers answers;
    private final Clock clock;

    /** @param listener by which others reach controllers */
    MetadataQuorumNode(MetadataReplica replica, QuorumDescription description, String listener, Clock clock) {
        this.replica = replica;
        this.description = description;
        this.answers = new RaftAnswers(listener);
        this.clock = clock;
    }

    /** @param request null: it was malformed */
    private <T> void ask(RaftRequest request, Function<RaftResponse, T> toKafka, Callback<T> done) {
        if (request == null) {
            done.succeed(toKafka.apply(RaftAnswers.MALFORMED));
            return;
        }
        replica.ask(request, (response, failure) -> {
            if (failure == null) {
                done.succeed(toKafka.apply(response));
            } else {
                done.fail(failure);
            }
        });
    }

    @Override
    public void vote(VoteRequestData request, Callback<VoteResponseData> done) {
        ask(RaftRequests.fromKafka(request), answers::vote, done);
    }

    @Override
    public void beginQuorumEpoch(BeginQuorumEpochRequestData request, Callback<BeginQuorumEpochResponseData> done) {
        ask(RaftRequests.fromKafka(request), answers::begin, done);
    }

    @Override
    public void endQuorumEpoch(EndQuorumEpochRequestData request, Callback<EndQuorumEpochResponseData> done) {
        ask(RaftRequests.fromKafka(request), answers::end, done);
    }

    @Override
    public void fetch(FetchRequestData request, Callback<FetchResponseData> done) {
        ask(RaftRequests.fromKafka(request), answers::fetch, done);
    }

    @Override
    public void fetchSnapshot(FetchSnapshotRequestData request, Callback<FetchSnapshotResponseData> done) {
        ask(RaftRequests.fromKafka(request), answers::fetchSnapshot, done);
    }

    @Override
    public void updateRaftVoter(UpdateRaftVoterRequestData request, Callback<UpdateRaftVoterResponseData> done) {
        ask(RaftRequests.fromKafka(request), answers::update, done);
    }

    @Override
    public void addRaftVoter(AddRaftVoterRequestData request, Callback<AddRaftVoterResponseData> done) {
        ask(RaftRequests.fromKafka(request), answers::add, done);
    }

    @Override
    public void removeRaftVoter(RemoveRaftVoterRequestData request, Callback<RemoveRaftVoterResponseData> done) {
        ask(RaftRequests.fromKafka(request), answers::remove, done);
    }

    @Override
    public void describeControllers(String listener, Callback<DescribeClusterResponseData> done) {
        replica.tick();
        done.succeed(description.controllers(replica.raft(), listener));
    }

    @Override
    public void describeQuorum(DescribeQuorumRequestData request, Callback<DescribeQuorumResponseData> done) {
        // What is due first: a leader that was paused for too long is none (rule R5).
        replica.tick();
        done.succeed(description.answer(
                request,
                new QuorumDescription.Now(
                        replica.raft(), replica.logEnd(), replica.highWatermark(), replica.now(), clock.wallMillis())));
    }
}
