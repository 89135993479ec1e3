package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import compat.TransactionSteps.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

/**
 * What producers and transactional ids meet that were forgotten for being idle ({@code producer.id.expiration.ms}, {@code transactional.id.expiration.ms}), from this
 * build's broker and from a real Kafka.
 */
class ExpiryDifferentialTest {
    private static final String TOPIC = "expiring";
    private static final String STATES = "__transaction_state";
    private static final int PARTITIONS = 4;
    private static final byte BROKER = ConfigQuestions.BROKER;

    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=1",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.num.partitions=" + PARTITIONS,
            "log.initial.task.delay.ms=100",
            "producer.id.expiration.check.interval.ms=200",
            "transactional.id.expiration.ms=6000",
            "transaction.remove.expired.transaction.cleanup.interval.ms=200");

    @Test
    void answersAsKafkaDoes() throws Exception {
        Map<String, String> expected;
        try (TestBroker kafka = PeerBroker.start(SETTINGS)) {
            expected = new Run(kafka).ask();
        }
        try (TestBroker ours = BrokerOfThisBuild.start(SETTINGS)) {
            assertEquals("", AnswerDifference.between(expected, new Run(ours).ask()));
        }
    }

    private static final class Run {
        private final TestBroker broker;
        private Conversation talk;
        private TransactionSteps steps;

        Run(TestBroker broker) {
            this.broker = broker;
        }

        Map<String, String> ask() throws Exception {
            try (Conversation open = new Conversation(broker.port())) {
                talk = open;
                steps = new TransactionSteps(open, TOPIC);
                talk.askLatest(
                        "create a topic",
                        ApiKeys.CREATE_TOPICS,
                        AdminQuestions.topics(AdminQuestions.topic(TOPIC, 8, 1)));
                MetadataRequestData whatIsItsId = new MetadataRequestData();
                whatIsItsId.topics().add(new MetadataRequestTopic().setName(TOPIC));
                talk.askLatest("its id", ApiKeys.METADATA, whatIsItsId);
                steps.awaitCoordinator();
                settings();
                idempotentProducers();
                transactionsOfForgottenProducers();
                transactionalIds();
                Map<String, String> answers = talk.answers();
                answers.replaceAll((question, answer) -> answer.replaceAll("\"errorMessage\":(null|\"text\"),", "")
                        .replaceAll("(\"baseOffset\":-1,\"errorCode\":-?[1-9].*?\"logStartOffset\":)-?\\d+", "$1*"));
                return answers;
            }
        }

        /** The time of producers changes while the broker runs, for all brokers. The records of this test are an hour old. */
        private void settings() {
            alter("the time of producers for one broker", "1", "producer.id.expiration.ms", "1000");
            alter("no time of producers", "", "producer.id.expiration.ms", "0");
            alter("the time of transactional ids", "", "transactional.id.expiration.ms", "1000");
            alter("the time of producers", "", "producer.id.expiration.ms", "1000");
            DescribeConfigsRequestData shown = new DescribeConfigsRequestData().setIncludeSynonyms(true);
            shown.resources()
                    .add(new DescribeConfigsResource()
                            .setResourceType(BROKER)
                            .setResourceName("1")
                            .setConfigurationKeys(List.of("producer.id.expiration.ms")));
            talk.askLatest("the time of producers is shown", ApiKeys.DESCRIBE_CONFIGS, shown);
        }

        private void alter(String label, String broker, String key, String value) {
            AlterConfigsResource resource =
                    new AlterConfigsResource().setResourceType(BROKER).setResourceName(broker);
            resource.configs().add(new AlterableConfig().setName(key).setValue(value));
            IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
            request.resources().add(resource);
            talk.askLatest("alter " + label, ApiKeys.INCREMENTAL_ALTER_CONFIGS, request);
        }

        // ---- producer ids in a partition

        private Writer idempotent() {
            InitProducerIdResponseData answer = (InitProducerIdResponseData) talk.step(
                    ApiKeys.INIT_PRODUCER_ID,
                    5,
                    new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(60_000));
            assertEquals(0, answer.errorCode());
            return new Writer(null, answer.producerId(), answer.producerEpoch());
        }

        private List<ProducerState> producers(int partition) {
            DescribeProducersRequestData request = new DescribeProducersRequestData();
            request.topics().add(new TopicRequest().setName(TOPIC).setPartitionIndexes(List.of(partition)));
            return ((DescribeProducersResponseData) talk.step(ApiKeys.DESCRIBE_PRODUCERS, 0, request))
                    .topics()
                    .get(0)
                    .partitions()
                    .get(0)
                    .activeProducers();
        }

        private void awaitForgotten(Writer writer, int partition) throws Exception {
            Await.until(
                    writer + " is forgotten in partition " + partition,
                    () -> producers(partition).stream().noneMatch(each -> each.producerId() == writer.producerId()));
        }

        /** Each time when it is forgotten anew. */
        private void plain(String label, Writer writer, int partition, int sequence) throws Exception {
            awaitForgotten(writer, partition);
            talk.askLatest(
                    label,
                    ApiKeys.PRODUCE,
                    steps.produce(13, null, partition, TransactionSteps.plainBatch(writer, sequence)));
        }

        private void idempotentProducers() throws Exception {
            Writer writer = idempotent();
            plain("first batch", writer, 0, 0);
            plain("next batch of a forgotten producer", writer, 0, 1);
            plain("a batch that it has sent before", writer, 0, 1);
            plain("a gap", writer, 0, 7);
            plain("a new epoch that does not begin at 0", writer.epoch(1), 0, 3);
            plain("the epoch before", writer, 0, 8);
            plain("a new epoch", writer.epoch(2), 0, 0);
            awaitForgotten(writer, 0);
            assertTrue(producers(0).isEmpty());
        }

        /** An open transaction keeps its producer; later its next one begins anew. */
        private void transactionsOfForgottenProducers() throws Exception {
            for (int version : new int[] {TransactionSteps.PRODUCE_1, TransactionSteps.PRODUCE_2}) {
                boolean second = version == TransactionSteps.PRODUCE_2;
                short end = second ? TransactionSteps.END_2 : TransactionSteps.END_1;
                int partition = second ? 2 : 1;
                Writer writer = steps.init("writer-" + version);
                writer = second ? writer : steps.added(writer, partition);
                steps.produced(writer, version, partition, 0);
                Writer other = idempotent();
                plain("another producer beside v" + version, other, partition, 0);
                awaitForgotten(other, partition);
                List<ProducerState> left = producers(partition);
                assertEquals(1, left.size(), "its transaction is open");
                assertEquals(0, left.get(0).currentTxnStartOffset());
                Writer next = steps.ended(writer, end, true);
                awaitForgotten(next, partition);
                next = second ? next : steps.added(next, partition);
                talk.askLatest(
                        "next transaction, sequence 1, of v" + version,
                        ApiKeys.PRODUCE,
                        steps.produce(13, next.id(), partition, TransactionSteps.batch(next, 1)));
                talk.askLatest(
                        "next transaction, sequence 0, of v" + version,
                        ApiKeys.PRODUCE,
                        steps.produce(13, next.id(), partition, TransactionSteps.batch(next, 0)));
            }
        }

        // ---- transactional ids

        private boolean isListed(String id) {
            return ((ListTransactionsResponseData)
                            talk.step(ApiKeys.LIST_TRANSACTIONS, 1, new ListTransactionsRequestData()))
                    .transactionStates().stream()
                            .anyMatch(each -> each.transactionalId().equals(id));
        }

        private void described(String label, String id) {
            talk.askLatest(
                    label,
                    ApiKeys.DESCRIBE_TRANSACTIONS,
                    new DescribeTransactionsRequestData().setTransactionalIds(List.of(id)));
        }

        private void transactionalIds() throws Exception {
            Writer open = steps.produced(steps.init("open"), TransactionSteps.PRODUCE_2, 3, 0);
            Writer done = steps.ended(
                    steps.produced(steps.init("done"), TransactionSteps.PRODUCE_2, 4, 0), TransactionSteps.END_2, true);
            Writer idle = steps.init("idle");
            for (Writer each : List.of(done, idle)) {
                Await.until(each.id() + " is forgotten", () -> !isListed(each.id()));
            }
            assertTrue(isListed("open"), "an open transaction keeps its id");
            assertEquals(Map.of(), valuesLeft(List.of("done", "idle")), "tombstones are the last that the log says");
            for (Writer each : List.of(done, idle)) {
                forgotten(each);
            }
            steps.ended(open, TransactionSteps.END_2, true);
            Await.until("open is forgotten too", () -> !isListed("open"));
        }

        private void forgotten(Writer writer) {
            String id = writer.id();
            described("describe forgotten " + id, id);
            talk.ask(
                    "add a partition by forgotten " + id,
                    ApiKeys.ADD_PARTITIONS_TO_TXN,
                    (v, s) -> v > TransactionSteps.ADD_1
                            ? null
                            : TransactionSteps.add(writer, TransactionSteps.partitions(TOPIC, 5)));
            talk.ask(
                    "add offsets by forgotten " + id,
                    ApiKeys.ADD_OFFSETS_TO_TXN,
                    (v, s) -> TransactionSteps.addOffsets(writer, "group"));
            talk.ask("end by forgotten " + id, ApiKeys.END_TXN, (v, s) -> TransactionSteps.end(writer, true));
            talk.askLatest(
                    "write by forgotten " + id,
                    ApiKeys.PRODUCE,
                    steps.produce(13, id, 6, TransactionSteps.batch(writer, 0)));
            described("describe still forgotten " + id, id);
            InitProducerIdRequestData claim = new InitProducerIdRequestData()
                    .setTransactionalId(id)
                    .setTransactionTimeoutMs(TransactionSteps.TIMEOUT_MILLIS)
                    .setProducerId(writer.producerId())
                    .setProducerEpoch(writer.epoch());
            talk.askLatest("init with the claim of forgotten " + id, ApiKeys.INIT_PRODUCER_ID, claim);
            Writer anew = steps.initOnce(id);
            assertTrue(anew.producerId() != writer.producerId(), "another producer id");
            assertEquals(0, anew.epoch());
        }

        /** Of these ids, those whose last record has a value. */
        private Map<String, Integer> valuesLeft(List<String> ids) {
            Map<String, Object> settings = Map.of(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    "127.0.0.1:" + broker.port(),
                    ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                    "earliest");
            Map<String, Integer> left = new LinkedHashMap<>();
            try (KafkaConsumer<byte[], byte[]> consumer =
                    new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                List<TopicPartition> all = IntStream.range(0, PARTITIONS)
                        .mapToObj(partition -> new TopicPartition(STATES, partition))
                        .toList();
                consumer.assign(all);
                Map<TopicPartition, Long> ends = consumer.endOffsets(all);
                while (all.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                    for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(100))) {
                        // Version, length, id.
                        String id = new String(each.key(), 4, each.key().length - 4, StandardCharsets.UTF_8);
                        if (each.value() == null) {
                            left.remove(id);
                        } else if (ids.contains(id)) {
                            left.put(id, each.partition());
                        }
                    }
                }
            }
            return left;
        }
    }
}
