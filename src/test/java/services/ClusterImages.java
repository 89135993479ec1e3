package services;

import com.google.protobuf.ByteString;
import highwater.metadata.ClientQuotaRecord;
import highwater.metadata.ConfigRecord;
import highwater.metadata.MetadataRecord;
import highwater.metadata.PartitionRecord;
import highwater.metadata.RegisterBrokerRecord;
import highwater.metadata.TopicRecord;
import java.nio.ByteBuffer;
import java.util.Map;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;

/** Builds metadata images for tests, record by record. */
public final class ClusterImages {
    private MetadataImage image = MetadataImage.empty("test-cluster");
    private long offset;

    public MetadataImage image() {
        return image.withController(1);
    }

    public ClusterImages broker(int id, boolean fenced, String listener, String host, int port) {
        RegisterBrokerRecord.Endpoint.Builder endpoint = RegisterBrokerRecord.Endpoint.newBuilder()
                .setListener(listener)
                .setPort(port)
                .setSecurityProtocol("PLAINTEXT");
        if (host != null) {
            endpoint.setHost(host);
        }
        return apply(MetadataRecord.newBuilder()
                .setRegisterBroker(RegisterBrokerRecord.newBuilder()
                        .setBrokerId(id)
                        .setIncarnationId(bytes(new Uuid(7, id)))
                        .setFenced(fenced)
                        .addLogDirs(bytes(new Uuid(8, 0)))
                        .addEndpoints(endpoint)));
    }

    /** Partitions of replicas 1 and 2, both in sync; {@code leader} -1 for none. */
    public ClusterImages topic(String name, Uuid id, int partitions, int leader) {
        apply(MetadataRecord.newBuilder()
                .setTopic(TopicRecord.newBuilder().setName(name).setTopicId(bytes(id))));
        for (int partition = 0; partition < partitions; partition++) {
            apply(MetadataRecord.newBuilder()
                    .setPartition(PartitionRecord.newBuilder()
                            .setTopicId(bytes(id))
                            .setPartition(partition)
                            .addReplicas(1)
                            .addReplicas(2)
                            .addIsr(1)
                            .addIsr(2)
                            .setLeader(leader)
                            .setLeaderEpoch(5)));
        }
        return this;
    }

    /** The same partitions, as above, in log directories that are none of those that the brokers have registered: they are offline. */
    public ClusterImages offline(Uuid id, int partitions, int leader) {
        for (int partition = 0; partition < partitions; partition++) {
            apply(MetadataRecord.newBuilder()
                    .setPartition(PartitionRecord.newBuilder()
                            .setTopicId(bytes(id))
                            .setPartition(partition)
                            .addReplicas(1)
                            .addReplicas(2)
                            .addIsr(1)
                            .addIsr(2)
                            .addDirectories(bytes(new Uuid(8, 1)))
                            .addDirectories(bytes(new Uuid(8, 2)))
                            .setLeader(leader)
                            .setLeaderEpoch(5)));
        }
        return this;
    }

    public ClusterImages config(byte type, String name, String key, String value) {
        return apply(MetadataRecord.newBuilder()
                .setConfig(ConfigRecord.newBuilder()
                        .setResourceType(type)
                        .setResourceName(name)
                        .setKey(key)
                        .setValue(value)));
    }

    /** @param entity type to name; a null name is the type's default */
    public ClusterImages quota(Map<String, String> entity, String key, double value) {
        ClientQuotaRecord.Builder quota =
                ClientQuotaRecord.newBuilder().setKey(key).setValue(value);
        entity.forEach((type, name) -> {
            ClientQuotaRecord.Entity.Builder part =
                    ClientQuotaRecord.Entity.newBuilder().setType(type);
            if (name != null) {
                part.setName(name);
            }
            quota.addEntity(part);
        });
        return apply(MetadataRecord.newBuilder().setClientQuota(quota));
    }

    private ClusterImages apply(MetadataRecord.Builder record) {
        MetadataDelta delta = new MetadataDelta(image);
        delta.apply(record.build(), offset++);
        image = delta.image(offset);
        return this;
    }

    private static ByteString bytes(Uuid id) {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .flip();
        return ByteString.copyFrom(bytes);
    }
}
