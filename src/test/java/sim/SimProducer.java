package sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * An idempotent producer: up to five batches in flight per partition, retried without end on new connections, now and then over two connections at
 * once, so that batches race each other. After a fatal verdict it takes a new producer id, and what was open stays unknown.
 */
final class SimProducer implements SimClient {
    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final Spec spec;
    private final List<SimLink> links = new ArrayList<>();
    private final SimTopics topics = new SimTopics();
    private final List<Lane> lanes = new ArrayList<>();
    private final List<String> topicNames;
    private long producerId = -1;
    private short epoch;
    private int session;
    private boolean initializing;
    private boolean producing = true;

    /** How it behaves. */
    record Spec(
            int links,
            int maxInFlight,
            int maxRecords,
            int padding,
            int intervalMillis,
            short version,
            int timeoutMillis) {}

    /** One partition's open batches, oldest first. */
    private static final class Lane {
        private final PartitionLedger ledger;
        private final ArrayDeque<Batch> open = new ArrayDeque<>();
        private int nextSequence;
        private int batches;
        /** A batch of this session was acked: before, the broker knows nothing of it and would take any that comes first. */
        private boolean begun;

        private int count;

        private Lane(PartitionLedger ledger) {
            this.ledger = ledger;
        }

        /** The broker remembers five batches: no more may come after one that is still open. */
        private boolean hasRoom(int window) {
            return open.isEmpty() || batches - open.peek().index < window;
        }
    }

    private static final class Batch {
        private final Lane lane;
        private final int session;
        private final int index;
        private final List<String> values;
        private final MemoryRecords records;
        private boolean inFlight;
        private boolean firstWhenSent;
        private long notBefore;

        private Batch(Lane lane, int session, List<String> values, MemoryRecords records) {
            this.lane = lane;
            this.session = session;
            this.index = lane.batches++;
            this.values = values;
            this.records = records;
        }
    }

    SimProducer(SimNet net, SimRandom random, String name, Spec spec, List<PartitionLedger> partitions) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.spec = spec;
        for (PartitionLedger each : partitions) {
            lanes.add(new Lane(each));
        }
        topicNames = lanes.stream().map(lane -> lane.ledger.topic).distinct().toList();
        for (int i = 0; i < spec.links; i++) {
            links.add(new SimLink(net, random, name + "/" + i, this::pump));
        }
    }

    @Override
    public void start() {
        links.forEach(SimLink::connect);
        tick();
    }

    /** No new batches; those that are open go on. */
    @Override
    public void quiesce() {
        producing = false;
    }

    @Override
    public String unfinished() {
        for (Lane lane : lanes) {
            if (!lane.open.isEmpty()) {
                return name + " waits for an answer to "
                        + lane.open.peek().values.get(0) + " at " + lane.ledger.name();
            }
        }
        return null;
    }

    @Override
    public void stop() {
        producing = false;
        links.forEach(SimLink::stop);
    }

    private void tick() {
        if (producing) {
            long wait = 1L + random.below(2 * spec.intervalMillis);
            net.scheduler().after(wait * SimScheduler.MILLI, null, "produce", () -> {
                Lane lane = lanes.get(random.below(lanes.size()));
                if (producing && producerId >= 0 && lane.hasRoom(lane.begun || ordered() ? spec.maxInFlight : 1)) {
                    lane.open.add(newBatch(lane));
                }
                pump();
                tick();
            });
        } else {
            net.scheduler().after(50 * SimScheduler.MILLI, null, "produce-rest", () -> {
                pump();
                if (unfinished() != null) {
                    tick();
                }
            });
        }
    }

    /** Nothing can come before what was sent first: there is one connection for a partition, to one node for ever. */
    private boolean ordered() {
        return spec.links == 1 && net.nodes() == 1;
    }

    private Batch newBatch(Lane lane) {
        int records = 1 + random.below(spec.maxRecords);
        List<String> values = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            String value = name + "." + lane.ledger.name() + "." + lane.count++;
            lane.ledger.send(value, true);
            values.add(value);
        }
        MemoryRecords batch = SimBatches.batch(
                values,
                random.below(spec.padding + 1),
                net.wallMillis(),
                net.compression(),
                producerId,
                epoch,
                lane.nextSequence);
        lane.nextSequence += records;
        return new Batch(lane, session, values, batch);
    }

    private void pump() {
        SimLink link = links.get(random.below(links.size()));
        if (!link.up()) {
            return;
        }
        boolean known = true;
        for (String topic : topicNames) {
            known &= topics.knows(topic);
        }
        if (!known) {
            topics.ask(link, topicNames, this::pump);
        } else if (producerId < 0) {
            initialize(link);
        } else {
            sendOpen(link);
        }
    }

    private void initialize(SimLink link) {
        if (initializing) {
            return;
        }
        initializing = true;
        InitProducerIdRequestData request =
                new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(60_000);
        short version = (short) (2 + random.below(ApiKeys.INIT_PRODUCER_ID.latestVersion(false) - 1));
        link.send(ApiKeys.INIT_PRODUCER_ID, version, request, spec.timeoutMillis, true, answer -> {
            initializing = false;
            if (answer != null && ((InitProducerIdResponseData) answer).errorCode() == Errors.NONE.code()) {
                producerId = net.newProducerId(((InitProducerIdResponseData) answer).producerId());
                epoch = ((InitProducerIdResponseData) answer).producerEpoch();
                pump();
            }
        });
    }

    /** Sends what is not in flight, in order per partition, one batch of a partition per request. */
    private void sendOpen(SimLink link) {
        while (link.up() && link.inFlight() < 8) {
            List<Batch> together = new ArrayList<>();
            for (Lane lane : lanes) {
                for (Batch batch : lane.open) {
                    if (!batch.inFlight) {
                        if (batch.notBefore > net.scheduler().now()) {
                            break;
                        }
                        batch.firstWhenSent = batch == lane.open.peek();
                        batch.inFlight = true;
                        together.add(batch);
                        break;
                    }
                }
            }
            if (together.isEmpty()) {
                return;
            }
            link.send(
                    ApiKeys.PRODUCE,
                    spec.version,
                    request(together),
                    spec.timeoutMillis,
                    true,
                    answer -> answered(link, together, answer));
        }
    }

    private ProduceRequestData request(List<Batch> together) {
        ProduceRequestData request = new ProduceRequestData()
                .setAcks((short) -1)
                .setTimeoutMs(spec.timeoutMillis)
                .setTransactionalId(null);
        Map<String, TopicProduceData> byTopic = new LinkedHashMap<>();
        for (Batch batch : together) {
            PartitionLedger ledger = batch.lane.ledger;
            TopicProduceData topic = byTopic.computeIfAbsent(
                    ledger.topic,
                    t -> spec.version >= 13
                            ? new TopicProduceData().setTopicId(topics.id(t))
                            : new TopicProduceData().setName(t));
            topic.partitionData()
                    .add(new PartitionProduceData().setIndex(ledger.partition).setRecords(batch.records));
        }
        byTopic.values().forEach(request.topicData()::add);
        return request;
    }

    private void answered(SimLink link, List<Batch> together, ApiMessage answer) {
        if (answer == null) {
            together.forEach(batch -> batch.inFlight = false);
            net.scheduler().after(10 * SimScheduler.MILLI, null, "produce-retry", this::pump);
            return;
        }
        Map<String, PartitionProduceResponse> byPartition = new LinkedHashMap<>();
        for (TopicProduceResponse topic : ((ProduceResponseData) answer).responses()) {
            for (PartitionProduceResponse each : topic.partitionResponses()) {
                byPartition.put(topics.name(topic.name(), topic.topicId()) + "-" + each.index(), each);
            }
        }
        for (Batch batch : together) {
            PartitionProduceResponse response = byPartition.get(batch.lane.ledger.name());
            if (response == null) {
                throw new RuleBroken("V4 answers", "no answer for " + batch.lane.ledger.name() + " in " + answer);
            }
            if (batch.session == session) {
                settle(link, batch, response);
            }
        }
        pump();
    }

    private void settle(SimLink link, Batch batch, PartitionProduceResponse response) {
        batch.inFlight = false;
        batch.notBefore = net.scheduler().now() + (random.chance(0.2) ? 0 : random.below(40) * SimScheduler.MILLI);
        Errors error = Errors.forCode(response.errorCode());
        PartitionLedger ledger = batch.lane.ledger;
        switch (error) {
            case NONE -> {
                for (int i = 0; i < batch.values.size(); i++) {
                    ledger.ack(batch.values.get(i), response.baseOffset() + i, link.answering());
                }
                net.acked(ledger, response.baseOffset());
                batch.lane.open.remove(batch);
                batch.lane.begun = true;
            }
            case OUT_OF_ORDER_SEQUENCE_NUMBER,
                    UNKNOWN_PRODUCER_ID,
                    INVALID_PRODUCER_EPOCH,
                    DUPLICATE_SEQUENCE_NUMBER -> {
                boolean first = batch.firstWhenSent && batch == batch.lane.open.peek();
                if (first && !ledger.lossy() && !ledger.trimmed) {
                    throw new RuleBroken(
                            "P1 P2 verdict", error + " for " + batch.values.get(0) + " at " + ledger.name());
                }
                if (first || error != Errors.OUT_OF_ORDER_SEQUENCE_NUMBER) {
                    newSession();
                }
            }
            case UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID -> {
                topics.forget(ledger.topic);
                net.unexpectedUnknownTopic(ledger.name(), link.answering());
            }
            default -> {
                if (!SimOutcomes.retriable(error)) {
                    throw new RuleBroken(
                            "V3 errors",
                            error + " for " + batch.values.get(0) + " at " + ledger.name() + ": "
                                    + response.errorMessage());
                }
                net.count("produce." + error);
            }
        }
    }

    private void newSession() {
        net.count("producer.sessions");
        session++;
        producerId = -1;
        for (Lane lane : lanes) {
            lane.open.clear();
            lane.nextSequence = 0;
            lane.begun = false;
        }
    }
}
