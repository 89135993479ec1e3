package node;

import highwater.metadata.ConfigRecord;
import highwater.metadata.MetadataRecord;
import highwater.metadata.RegisterBrokerRecord;
import highwater.metadata.TopicRecord;
import metadata.MetadataDelta;
import metadata.MetadataImage;

/** Metadata of two brokers for a fetcher. */
final class FetcherImages {
    private FetcherImages() {}

    /** @param host of the leader; null: it is not registered */
    static MetadataImage of(int self, long epoch, int leader, String host) {
        MetadataImage image = with(MetadataImage.empty("cluster"), self, epoch, "self");
        return host == null ? image : with(image, leader, epoch + 1, host);
    }

    static MetadataImage throttled(
            MetadataImage image, org.apache.kafka.common.Uuid topic, String side, String replicas) {
        java.nio.ByteBuffer id = java.nio.ByteBuffer.allocate(16);
        id.putLong(topic.getMostSignificantBits()).putLong(topic.getLeastSignificantBits());
        MetadataDelta delta = new MetadataDelta(image);
        delta.apply(
                MetadataRecord.newBuilder()
                        .setTopic(TopicRecord.newBuilder()
                                .setName("orders")
                                .setTopicId(com.google.protobuf.ByteString.copyFrom(id.flip())))
                        .build(),
                image.version());
        delta.apply(
                MetadataRecord.newBuilder()
                        .setConfig(ConfigRecord.newBuilder()
                                .setResourceType(2)
                                .setResourceName("orders")
                                .setKey(side + ".replication.throttled.replicas")
                                .setValue(replicas))
                        .build(),
                image.version());
        return delta.image(image.version() + 1);
    }

    private static MetadataImage with(MetadataImage image, int id, long epoch, String host) {
        MetadataDelta delta = new MetadataDelta(image);
        delta.apply(
                MetadataRecord.newBuilder()
                        .setRegisterBroker(RegisterBrokerRecord.newBuilder()
                                .setBrokerId(id)
                                .setBrokerEpoch(epoch)
                                .setIncarnationId(com.google.protobuf.ByteString.copyFrom(new byte[16]))
                                .addEndpoints(RegisterBrokerRecord.Endpoint.newBuilder()
                                        .setListener("PLAINTEXT")
                                        .setHost(host)
                                        .setPort(9092)
                                        .setSecurityProtocol("PLAINTEXT")))
                        .build(),
                epoch);
        return delta.image(image.version() + 1);
    }
}
