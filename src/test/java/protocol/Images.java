package protocol;

import com.google.protobuf.ByteString;
import highwater.metadata.FeatureLevelRecord;
import highwater.metadata.MetadataRecord;
import highwater.metadata.PartitionRecord;
import highwater.metadata.RegisterBrokerRecord;
import highwater.metadata.TopicRecord;
import java.nio.ByteBuffer;
import java.util.List;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;

/** Metadata images for tests, made record by record. */
final class Images {
    static final String CLUSTER = "test-cluster";

    private MetadataImage image = MetadataImage.empty(CLUSTER);

    MetadataImage image() {
        return image;
    }

    Images broker(int id, String host, int port) {
        RegisterBrokerRecord.Endpoint.Builder endpoint = RegisterBrokerRecord.Endpoint.newBuilder()
                .setListener("PLAINTEXT")
                .setPort(port)
                .setSecurityProtocol("PLAINTEXT");
        if (host != null) {
            endpoint.setHost(host);
        }
        return apply(MetadataRecord.newBuilder()
                .setRegisterBroker(RegisterBrokerRecord.newBuilder()
                        .setBrokerId(id)
                        .setIncarnationId(bytes(new Uuid(7, id)))
                        .addEndpoints(endpoint))
                .build());
    }

    Images feature(String name, int level) {
        return apply(MetadataRecord.newBuilder()
                .setFeatureLevel(FeatureLevelRecord.newBuilder().setName(name).setLevel(level))
                .build());
    }

    Images topic(String name, Uuid id, int partitions, int leader) {
        return topic(name, id, partitions, leader, List.of(leader));
    }

    Images topic(String name, Uuid id, int partitions, int leader, List<Integer> replicas) {
        apply(MetadataRecord.newBuilder()
                .setTopic(TopicRecord.newBuilder().setName(name).setTopicId(bytes(id)))
                .build());
        for (int i = 0; i < partitions; i++) {
            apply(MetadataRecord.newBuilder()
                    .setPartition(PartitionRecord.newBuilder()
                            .setTopicId(bytes(id))
                            .setPartition(i)
                            .addAllReplicas(replicas)
                            .addAllIsr(replicas)
                            .setLeader(leader)
                            .setLeaderEpoch(3))
                    .build());
        }
        return this;
    }

    private Images apply(MetadataRecord record) {
        MetadataDelta delta = new MetadataDelta(image);
        delta.apply(record, image.version());
        image = delta.image(image.version() + 1);
        return this;
    }

    private static ByteString bytes(Uuid id) {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        return ByteString.copyFrom(bytes.flip());
    }
}
