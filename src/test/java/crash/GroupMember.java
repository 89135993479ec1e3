package crash;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A stock consumer in a group, which commits what it has read. Only the test's thread polls it, so what a {@link GroupWatch} hears has an order. */
final class GroupMember implements ConsumerRebalanceListener, AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(10);

    enum Protocol {
        CONSUMER,
        COOPERATIVE
    }

    private final GroupWatch watch;
    private final String name;
    private final KafkaConsumer<String, String> consumer;
    /** What it owns, to the offset behind what it has read. */
    private final Map<TopicPartition, OffsetAndMetadata> positions = new LinkedHashMap<>();

    private Exception refusal;
    /** Answers to commits of an earlier one say nothing about this one. */
    private int phase;

    /**
     * @param name unique; that of a static member is its instance id
     * @param more settings of its own
     */
    GroupMember(RealBroker broker, GroupWatch watch, Protocol protocol, String name, Map<String, Object> more) {
        this.watch = watch;
        this.name = name;
        Map<String, Object> settings = new LinkedHashMap<>(Map.of(
                "bootstrap.servers",
                broker.bootstrap(),
                "group.id",
                watch.group(),
                "enable.auto.commit",
                false,
                "auto.offset.reset",
                "earliest",
                "max.poll.records",
                20,
                "default.api.timeout.ms",
                120_000,
                "request.timeout.ms",
                10_000,
                "reconnect.backoff.max.ms",
                100,
                "retry.backoff.max.ms",
                200));
        if (protocol == Protocol.CONSUMER) {
            settings.put("group.protocol", "consumer");
        } else {
            settings.put("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
            settings.put("heartbeat.interval.ms", 200);
            // A member that has left is back when the broker is killed before the next generation, as in Kafka.
            settings.put("session.timeout.ms", 6_000);
        }
        settings.putAll(more);
        consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    void subscribe(SubscribeCall call) {
        call.subscribe(consumer, this);
    }

    interface SubscribeCall {
        void subscribe(KafkaConsumer<String, String> consumer, ConsumerRebalanceListener listener);
    }

    /** Reads a little and commits it; the answer comes with a later poll. */
    void poll() {
        boolean any = false;
        for (ConsumerRecord<String, String> each : records()) {
            watch.read(each);
            positions.put(new TopicPartition(each.topic(), each.partition()), new OffsetAndMetadata(each.offset() + 1));
            any = true;
        }
        if (any) {
            commit();
        }
    }

    /**
     * A consumer of KIP-848 that learns of a new leader epoch just while it takes records from its buffer may fail, and loses what it took from the other partitions:
     * it goes back to what was read.
     */
    private ConsumerRecords<String, String> records() {
        try {
            return consumer.poll(POLL);
        } catch (IllegalStateException raced) {
            if (!String.valueOf(raced.getMessage()).contains("without a valid current position")) {
                throw raced;
            }
            watch.raced(raced);
            positions.forEach((partition, position) -> consumer.seek(partition, position.offset()));
            return ConsumerRecords.empty();
        }
    }

    /** Commits what it has read. */
    void commit() {
        if (positions.isEmpty()) {
            return;
        }
        int asked = phase;
        consumer.commitAsync(Map.copyOf(positions), (offsets, failure) -> {
            // A refused classic member hangs up, and loses what else it has on the way: that says nothing of the
            // broker.
            boolean lost = failure != null && failure.getCause() instanceof DisconnectException;
            if (asked == phase && !lost) {
                refusal = failure;
            }
            if (failure == null) {
                watch.acknowledged(offsets);
            }
        });
    }

    /** Why the last commit that the broker answered failed; null when it did not. Of commits since {@link #forgetRefusal}. */
    Exception refusal() {
        return refusal;
    }

    void forgetRefusal() {
        refusal = null;
        phase++;
    }

    Collection<TopicPartition> assignment() {
        return consumer.assignment();
    }

    /** How many of its heartbeats were answered. */
    double heartbeats() {
        return consumer.metrics().values().stream()
                .filter(each -> each.metricName().name().equals("heartbeat-total"))
                .mapToDouble(each -> (Double) each.metricValue())
                .sum();
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> added) {
        watch.assigned(consumer.groupMetadata().generationId(), name, consumer.assignment());
        added.forEach(each -> positions.put(each, new OffsetAndMetadata(consumer.position(each))));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        positions.keySet().removeAll(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        positions.keySet().removeAll(partitions);
        watch.lost();
    }

    /** Leaves the group; a static member for now only. */
    void leave() {
        consumer.close();
    }

    /** Is gone, and nobody is told. */
    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ZERO)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP));
    }
}
