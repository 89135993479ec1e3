package crash;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Produces numbers, each once, to the partitions of topics in turn, and goes on trying while the broker is away. */
final class NumberedSource implements AutoCloseable {
    private final KafkaProducer<String, String> producer;
    private final Map<String, BitSet> sent = new TreeMap<>();
    private int next;

    NumberedSource(RealBroker broker) {
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", broker.bootstrap(),
                        "delivery.timeout.ms", 900_000,
                        "request.timeout.ms", 10_000,
                        "max.block.ms", 120_000,
                        "reconnect.backoff.max.ms", 100),
                new StringSerializer(),
                new StringSerializer());
    }

    void send(String topic, int partitions, int count) {
        BitSet numbers = sent.computeIfAbsent(topic, any -> new BitSet());
        for (int i = 0; i < count; i++) {
            int number = next++;
            numbers.set(number);
            producer.send(new ProducerRecord<>(topic, number % partitions, null, Integer.toString(number)));
        }
    }

    /** Returns when all that was sent is acknowledged. */
    void flush() {
        producer.flush();
    }

    /** What was sent to the topics. */
    BitSet sent(Iterable<String> topics) {
        BitSet all = new BitSet();
        topics.forEach(each -> all.or(sent.getOrDefault(each, new BitSet())));
        return all;
    }

    @Override
    public void close() {
        producer.close();
    }
}
