package metadata;

import highwater.metadata.BrokerStateRecord;
import highwater.metadata.ClientQuotaRecord;
import highwater.metadata.ClusterRecord;
import highwater.metadata.ConfigRecord;
import highwater.metadata.FeatureLevelRecord;
import highwater.metadata.MetadataRecord;
import highwater.metadata.PartitionRecord;
import highwater.metadata.ProducerIdsRecord;
import highwater.metadata.RegisterBrokerRecord;
import highwater.metadata.RemoveTopicRecord;
import highwater.metadata.TopicRecord;
import highwater.metadata.UnregisterBrokerRecord;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.BrokerStart;
import metadata.MetadataImage.Eligible;
import metadata.MetadataImage.Endpoint;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.Reassignment;
import org.apache.kafka.common.Uuid;

/** Makes records from values; the inverse of {@link MetadataDelta#apply}. */
public final class MetadataRecords {

    private MetadataRecords() {}

    public static MetadataRecord topic(String name, Uuid id) {
        return MetadataRecord.newBuilder()
                .setTopic(TopicRecord.newBuilder().setName(name).setTopicId(MetadataCodec.bytes(id)))
                .build();
    }

    /** @param id of the cluster */
    public static MetadataRecord cluster(String id) {
        return MetadataRecord.newBuilder()
                .setMinReader(MetadataCodec.CLUSTER_LEVEL)
                .setCluster(ClusterRecord.newBuilder().setClusterId(id))
                .build();
    }

    public static MetadataRecord partition(Uuid topicId, PartitionImage partition) {
        PartitionRecord.Builder record = PartitionRecord.newBuilder()
                .setTopicId(MetadataCodec.bytes(topicId))
                .setPartition(partition.partition())
                .addAllReplicas(partition.replicas())
                .addAllIsr(partition.isr())
                .setLeader(partition.leader())
                .setLeaderEpoch(partition.leaderEpoch())
                .setPartitionEpoch(partition.partitionEpoch())
                .addAllElr(partition.eligible().elr())
                .addAllLastKnownElr(partition.eligible().lastKnown())
                .setRecovering(partition.eligible().recovering())
                .addAllAdding(partition.reassignment().adding())
                .addAllRemoving(partition.reassignment().removing());
        if (!partition.directories().stream().allMatch(DirectoryId.UNASSIGNED::equals)) {
            partition.directories().forEach(each -> record.addDirectories(MetadataCodec.bytes(each)));
        }
        boolean plain = partition.eligible().equals(Eligible.ISR_ONLY)
                && partition.reassignment().equals(Reassignment.NONE);
        return MetadataRecord.newBuilder()
                .setMinReader(plain ? 0 : MetadataCodec.CLUSTER_LEVEL)
                .setPartition(record)
                .build();
    }

    public static MetadataRecord removeTopic(Uuid id) {
        return MetadataRecord.newBuilder()
                .setRemoveTopic(RemoveTopicRecord.newBuilder().setTopicId(MetadataCodec.bytes(id)))
                .build();
    }

    /** @param value null: the key is removed */
    public static MetadataRecord config(ConfigTarget target, String key, String value) {
        ConfigRecord.Builder record = ConfigRecord.newBuilder()
                .setResourceType(target.type())
                .setResourceName(target.name())
                .setKey(key);
        if (value != null) {
            record.setValue(value);
        }
        return MetadataRecord.newBuilder().setConfig(record).build();
    }

    /** @param value null: the quota is removed */
    public static MetadataRecord quota(QuotaEntity entity, String key, Double value) {
        ClientQuotaRecord.Builder record = ClientQuotaRecord.newBuilder().setKey(key);
        entity.parts().forEach((type, name) -> {
            ClientQuotaRecord.Entity.Builder part =
                    ClientQuotaRecord.Entity.newBuilder().setType(type);
            if (name != null) {
                part.setName(name);
            }
            record.addEntity(part);
        });
        if (value != null) {
            record.setValue(value);
        }
        return MetadataRecord.newBuilder().setClientQuota(record).build();
    }

    public static MetadataRecord producerIds(int brokerId, long brokerEpoch, long nextProducerId) {
        return MetadataRecord.newBuilder()
                .setProducerIds(ProducerIdsRecord.newBuilder()
                        .setBrokerId(brokerId)
                        .setBrokerEpoch(brokerEpoch)
                        .setNextProducerId(nextProducerId))
                .build();
    }

    /** @param level 0: removed */
    public static MetadataRecord feature(String name, short level) {
        return MetadataRecord.newBuilder()
                .setFeatureLevel(FeatureLevelRecord.newBuilder().setName(name).setLevel(level))
                .build();
    }

    /** @param broker with epoch -1 when it is to be the offset that the record gets (C1) */
    public static MetadataRecord broker(BrokerImage broker) {
        RegisterBrokerRecord.Builder record = RegisterBrokerRecord.newBuilder()
                .setBrokerId(broker.id())
                .setIncarnationId(MetadataCodec.bytes(broker.incarnationId()))
                .setFenced(broker.fenced());
        if (broker.epoch() >= 0) {
            record.setBrokerEpoch(broker.epoch());
        }
        if (broker.rack() != null) {
            record.setRack(broker.rack());
        }
        for (Endpoint endpoint : broker.endpoints()) {
            RegisterBrokerRecord.Endpoint.Builder part = RegisterBrokerRecord.Endpoint.newBuilder()
                    .setListener(endpoint.listener())
                    .setPort(endpoint.port())
                    .setSecurityProtocol(endpoint.securityProtocol());
            if (endpoint.host() != null) {
                part.setHost(endpoint.host());
            }
            record.addEndpoints(part);
        }
        for (Uuid dir : broker.logDirs()) {
            record.addLogDirs(MetadataCodec.bytes(dir));
        }
        BrokerStart start = broker.start();
        record.setInControlledShutdown(broker.inControlledShutdown())
                .setCleanEpochPlusOne(start.cleanEpoch() + 1)
                .setDurable(start.durable());
        if (start.bootId() != null) {
            record.setBootId(start.bootId());
        }
        start.features()
                .forEach((name, levels) -> record.addFeatures(RegisterBrokerRecord.Feature.newBuilder()
                        .setName(name)
                        .setMinLevel(levels.min())
                        .setMaxLevel(levels.max())));
        return MetadataRecord.newBuilder()
                .setMinReader(broker.inControlledShutdown() ? MetadataCodec.CLUSTER_LEVEL : 0)
                .setRegisterBroker(record)
                .build();
    }

    /** A registered broker is fenced or not, and in controlled shutdown or not, from now on. */
    public static MetadataRecord brokerState(BrokerImage broker, boolean fenced, boolean inControlledShutdown) {
        return MetadataRecord.newBuilder()
                .setMinReader(MetadataCodec.CLUSTER_LEVEL)
                .setBrokerState(BrokerStateRecord.newBuilder()
                        .setBrokerId(broker.id())
                        .setBrokerEpoch(broker.epoch())
                        .setFenced(fenced)
                        .setInControlledShutdown(inControlledShutdown))
                .build();
    }

    public static MetadataRecord brokerGone(BrokerImage broker) {
        return MetadataRecord.newBuilder()
                .setMinReader(MetadataCodec.CLUSTER_LEVEL)
                .setUnregisterBroker(UnregisterBrokerRecord.newBuilder()
                        .setBrokerId(broker.id())
                        .setBrokerEpoch(broker.epoch()))
                .build();
    }
}
