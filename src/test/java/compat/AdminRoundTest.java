package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A stock admin client does all that a single broker without groups and rights has to offer. */
@ExtendWith(BrokerExtension.class)
class AdminRoundTest {
    private Clients clients;
    private Admin admin;

    @BeforeEach
    void open(TestBroker broker) {
        clients = new Clients(broker);
        admin = clients.admin();
    }

    @AfterEach
    void close() throws Exception {
        clients.close();
    }

    @Test
    void describesTheCluster() throws Exception {
        DescribeClusterResult cluster = admin.describeCluster();
        assertEquals(1, cluster.nodes().get().size());
        assertEquals(1, cluster.controller().get().id());
        assertTrue(cluster.clusterId().get().length() > 10);
        QuorumInfo quorum = admin.describeMetadataQuorum().quorumInfo().get();
        assertEquals(1, quorum.leaderId());
        assertEquals(1, quorum.voters().size());
        assertTrue(quorum.highWatermark() > 0);
        assertNotNull(admin.describeFeatures()
                .featureMetadata()
                .get()
                .supportedFeatures()
                .get("metadata.version"));
    }

    @Test
    void aCreatedTopicTakesRecordsAtOnce() throws Exception {
        for (int round = 0; round < 20; round++) {
            String topic = clients.topic(3);
            List<Future<RecordMetadata>> acks = new ArrayList<>();
            // No second try: an answer that came before the partitions were open would show.
            var producer = clients.producer("retries", "0", "enable.idempotence", "false");
            for (int partition = 0; partition < 3; partition++) {
                acks.add(producer.send(new ProducerRecord<>(topic, partition, null, new byte[1])));
            }
            for (Future<RecordMetadata> ack : acks) {
                assertEquals(0, ack.get().offset());
            }
            producer.close();
        }
    }

    @Test
    void topicsComeGrowAndGo() throws Exception {
        String topic = clients.topic(2, "retention.ms", "123456");
        TopicDescription made = describe(topic);
        assertEquals(2, made.partitions().size());
        assertEquals(1, made.partitions().get(0).leader().id());
        assertFails(
                TopicExistsException.class,
                admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all());
        assertFails(
                InvalidTopicException.class,
                admin.createTopics(List.of(new NewTopic("b@d", 1, (short) 1))).all());
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(5))).all().get();
        assertEquals(5, describe(topic).partitions().size());
        Uuid id = made.topicId();
        TopicDescription byId = admin.describeTopics(TopicCollection.ofTopicIds(List.of(id)))
                .allTopicIds()
                .get()
                .get(id);
        assertEquals(topic, byId.name());
        admin.deleteTopics(TopicCollection.ofTopicIds(List.of(id))).all().get();
        Await.until("the topic is gone", () -> !admin.listTopics().names().get().contains(topic));
        assertFails(
                UnknownTopicOrPartitionException.class,
                admin.deleteTopics(List.of(topic)).all());
    }

    @Test
    void manyTopicsAreListedAndDescribed() throws Exception {
        List<NewTopic> topics = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            topics.add(new NewTopic("many-" + i, 3, (short) 1));
        }
        admin.createTopics(topics).all().get();
        List<String> names = topics.stream().map(NewTopic::name).toList();
        assertTrue(admin.listTopics().names().get().containsAll(names));
        assertEquals(60, admin.describeTopics(names).allTopicNames().get().size());
        admin.deleteTopics(names).all().get();
    }

    @Test
    void configsAreSetAndTakenBack() throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, clients.topic(1));
        assertEquals(
                ConfigEntry.ConfigSource.DEFAULT_CONFIG,
                config(topic).get("segment.ms").source());
        alter(topic, "segment.ms", "60000", AlterConfigOp.OpType.SET);
        ConfigEntry set = config(topic).get("segment.ms");
        assertEquals("60000", set.value());
        assertEquals(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG, set.source());
        alter(topic, "segment.ms", null, AlterConfigOp.OpType.DELETE);
        assertEquals("604800000", config(topic).get("segment.ms").value());
    }

    @Test
    void brokerDefaultsReachTopics() throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, clients.topic(1));
        ConfigResource brokers = new ConfigResource(ConfigResource.Type.BROKER, "");
        alter(brokers, "log.index.interval.bytes", "5000", AlterConfigOp.OpType.SET);
        Await.until(
                "the topic shows it",
                () -> "5000".equals(config(topic).get("index.interval.bytes").value()));
        assertEquals(
                ConfigEntry.ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG,
                config(topic).get("index.interval.bytes").source());
        alter(brokers, "log.index.interval.bytes", null, AlterConfigOp.OpType.DELETE);
        Await.until(
                "the default is back",
                () -> "4096".equals(config(topic).get("index.interval.bytes").value()));
    }

    @Test
    void brokerDefaultsAreInForceForTopics() throws Exception {
        String topic = clients.topic(1);
        ConfigResource brokers = new ConfigResource(ConfigResource.Type.BROKER, "");
        var producer = clients.producer("retries", "0", "enable.idempotence", "false");
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, 0, null, new byte[6_000]);
        producer.send(record).get();
        alter(brokers, "message.max.bytes", "5000", AlterConfigOp.OpType.SET);
        try {
            Await.until("large records are refused", () -> isTooLarge(producer.send(record)));
        } finally {
            alter(brokers, "message.max.bytes", null, AlterConfigOp.OpType.DELETE);
        }
        Await.until("large records are taken again", () -> !isTooLarge(producer.send(record)));
    }

    private static boolean isTooLarge(Future<RecordMetadata> ack) throws InterruptedException {
        try {
            ack.get();
            return false;
        } catch (ExecutionException e) {
            assertEquals(RecordTooLargeException.class, e.getCause().getClass());
            return true;
        }
    }

    @Test
    void brokersShowTheirConfigs() throws Exception {
        Config broker = config(new ConfigResource(ConfigResource.Type.BROKER, "1"));
        assertEquals("1", broker.get("node.id").value());
        assertTrue(broker.get("node.id").isReadOnly());
        assertTrue(broker.entries().size() > 100);
    }

    @Test
    void quotasAreStored() throws Exception {
        ClientQuotaEntity entity = new ClientQuotaEntity(Map.of(ClientQuotaEntity.USER, "ada"));
        admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
                        entity, List.of(new ClientQuotaAlteration.Op("producer_byte_rate", 5000.0)))))
                .all()
                .get();
        Await.until(
                "the quota shows",
                () -> Map.of("producer_byte_rate", 5000.0)
                        .equals(admin.describeClientQuotas(ClientQuotaFilter.all())
                                .entities()
                                .get()
                                .get(entity)));
    }

    @Test
    void logDirsShowSizes(TestBroker broker) throws Exception {
        String topic = clients.topic(1);
        clients.producer()
                .send(new ProducerRecord<>(topic, 0, null, new byte[10_000]))
                .get();
        Map<String, LogDirDescription> dirs =
                admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1);
        assertEquals(1, dirs.size());
        LogDirDescription dir = dirs.get(broker.data().toString());
        assertTrue(dir.totalBytes().orElse(0) > 0);
        Collection<Long> sizes = dir.replicaInfos().entrySet().stream()
                .filter(entry -> entry.getKey().topic().equals(topic))
                .map(entry -> entry.getValue().size())
                .toList();
        assertEquals(1, sizes.size());
        assertTrue(sizes.iterator().next() > 10_000);
    }

    @Test
    void whatIsNotThereIsSaid() throws Exception {
        assertFails(
                SecurityDisabledException.class,
                admin.describeAcls(org.apache.kafka.common.acl.AclBindingFilter.ANY)
                        .values());
        assertEquals(0, admin.listPartitionReassignments().reassignments().get().size());
    }

    private TopicDescription describe(String topic) throws Exception {
        return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
    }

    private Config config(ConfigResource resource) throws Exception {
        return admin.describeConfigs(List.of(resource)).all().get().get(resource);
    }

    private void alter(ConfigResource resource, String key, String value, AlterConfigOp.OpType type) throws Exception {
        AlterConfigOp change = new AlterConfigOp(new ConfigEntry(key, value), type);
        admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all().get();
    }

    private static void assertFails(Class<? extends Exception> expected, Future<?> result) {
        ExecutionException failure = assertThrows(ExecutionException.class, result::get);
        assertEquals(expected, failure.getCause().getClass());
    }
}
