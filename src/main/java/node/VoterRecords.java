package node;

import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.VotersRecord;
import raft.Endpoint;
import raft.ReplicaKey;
import raft.VoterSet;
import raft.VotersAt;
import records.ControlBatches;
import records.LogRecord;

/** Sets of voters as Kafka's control records of the metadata log and its snapshots (KIP-853). */
final class VoterRecords {
    /** Of kraft.version: voters that stand in the log. */
    private static final short KRAFT_VERSION = 1;

    private VoterRecords() {}

    /** Those of some batches in order, or why one of them cannot be read. */
    record Found(List<VotersAt> voters, Failure failure) {}

    static ByteBuffer batch(VoterSet voters, int epoch, long wallMillis) {
        VotersRecord record = new VotersRecord().setVersion((short) 0);
        for (VoterSet.Voter each : voters.voters()) {
            VotersRecord.EndpointCollection endpoints = new VotersRecord.EndpointCollection();
            for (Endpoint at : each.endpoints()) {
                endpoints.add(new VotersRecord.Endpoint()
                        .setName(at.listener())
                        .setHost(at.host())
                        .setPort(at.port()));
            }
            record.voters()
                    .add(new VotersRecord.Voter()
                            .setVoterId(each.key().id())
                            .setVoterDirectoryId(new Uuid(
                                    each.key().directoryMost(), each.key().directoryLeast()))
                            .setEndpoints(endpoints)
                            .setKRaftVersionFeature(new VotersRecord.KRaftVersionFeature()
                                    .setMinSupportedVersion((short) 0)
                                    .setMaxSupportedVersion(KRAFT_VERSION)));
        }
        return ControlBatches.voters(0, wallMillis, epoch, record);
    }

    static Found in(List<MetadataBatch> batches) {
        List<VotersAt> found = new ArrayList<>();
        for (MetadataBatch batch : batches) {
            for (LogRecord record : batch.controls()) {
                try {
                    VotersRecord voters = ControlBatches.votersIn(record);
                    if (voters != null) {
                        found.add(new VotersAt(record.offset(), set(voters)));
                    }
                } catch (ControlBatches.MalformedVotersException e) {
                    return new Found(
                            List.of(),
                            Failure.of(
                                    FailureCode.CORRUPT_BATCH, "at offset " + record.offset() + ": " + e.getMessage()));
                }
            }
        }
        return new Found(found, null);
    }

    private static VoterSet set(VotersRecord record) {
        List<VoterSet.Voter> voters = new ArrayList<>();
        for (VotersRecord.Voter each : record.voters()) {
            List<Endpoint> endpoints = new ArrayList<>();
            each.endpoints().forEach(at -> endpoints.add(new Endpoint(at.name(), at.host(), at.port())));
            Uuid directory = each.voterDirectoryId();
            ReplicaKey key = new ReplicaKey(
                    each.voterId(), directory.getMostSignificantBits(), directory.getLeastSignificantBits());
            voters.add(new VoterSet.Voter(key, endpoints));
        }
        return new VoterSet(voters);
    }
}
