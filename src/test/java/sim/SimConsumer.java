package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * A consumer of assigned partitions: long polls, fetch sessions where its version has them, passes from the start again and again. Checks that each
 * pass goes up without a gap (V1), that offsets keep their values (V2), and that log start and high watermark never fall (I4, I12).
 */
final class SimConsumer implements SimClient {
    /** What comes of one node waits for what the others have. */
    private static final int HURRIED_WAIT_MILLIS = 20;

    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final Spec spec;
    private final Map<String, Place> places = new LinkedHashMap<>();
    private final List<String> topicNames;
    private final SimTopics topics = new SimTopics();
    private final SimLink link;
    private int sessionId;
    private int sessionEpoch;
    private boolean busy;
    private boolean stopped;
    private boolean hurried;

    /** @param sessions whether to use incremental fetch sessions (versions from 7) */
    record Spec(
            short version,
            boolean sessions,
            int maxWaitMillis,
            int minBytes,
            int maxBytes,
            int partitionBytes,
            boolean committedOnly) {}

    private static final class Place {
        private final PartitionLedger ledger;
        private long position;
        private long highWatermark;
        private long logStart;
        private SimLife said;
        private boolean reset;
        private boolean changed = true;

        private Place(PartitionLedger ledger) {
            this.ledger = ledger;
        }
    }

    SimConsumer(SimNet net, SimRandom random, String name, Spec spec, List<PartitionLedger> partitions) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.spec = spec;
        partitions.forEach(each -> places.put(each.name(), new Place(each)));
        this.topicNames = partitions.stream().map(each -> each.topic).distinct().toList();
        this.link = new SimLink(net, random, name, this::connected);
    }

    @Override
    public void start() {
        link.connect();
    }

    /** Reads on with large fetches, to catch up. */
    @Override
    public void quiesce() {
        hurried = true;
    }

    /** Done when it has read all that is readable. */
    @Override
    public String unfinished() {
        for (Place place : places.values()) {
            if (place.reset || place.position < place.highWatermark || place.highWatermark < ackedEnd(place.ledger)) {
                return name + " is at " + place.position + " of " + place.ledger.name() + ", high watermark "
                        + place.highWatermark + ", acked up to " + ackedEnd(place.ledger);
            }
        }
        return null;
    }

    private static long ackedEnd(PartitionLedger ledger) {
        return ledger.seen().isEmpty() ? 0 : ledger.seen().lastKey() + 1;
    }

    @Override
    public void stop() {
        stopped = true;
        link.stop();
    }

    private void connected() {
        busy = false;
        if (random.chance(0.5)) {
            sessionId = 0;
            sessionEpoch = 0;
        }
        for (Place place : places.values()) {
            place.highWatermark = place.ledger.lossy() ? 0 : place.highWatermark;
            // What was sent last may not have arrived.
            place.changed = true;
        }
        next();
    }

    /** Does whatever is to be done next, once. */
    private void next() {
        if (busy || stopped || !link.up()) {
            return;
        }
        for (String topic : topicNames) {
            if (!topics.knows(topic)) {
                topics.ask(link, topicNames, this::next);
                later(100);
                return;
            }
        }
        List<Place> lost = places.values().stream().filter(each -> each.reset).toList();
        busy = true;
        if (!lost.isEmpty()) {
            findStart(lost);
        } else {
            fetch();
        }
    }

    private void later(int millis) {
        net.scheduler().after(millis * SimScheduler.MILLI, null, "consume", this::next);
    }

    // ---- positions

    private void findStart(List<Place> lost) {
        ListOffsetsRequestData request =
                new ListOffsetsRequestData().setReplicaId(-1).setIsolationLevel((byte) 0);
        Map<String, ListOffsetsTopic> byTopic = new LinkedHashMap<>();
        for (Place place : lost) {
            byTopic.computeIfAbsent(place.ledger.topic, t -> new ListOffsetsTopic().setName(t))
                    .partitions()
                    .add(new ListOffsetsPartition()
                            .setPartitionIndex(place.ledger.partition)
                            .setTimestamp(-2));
        }
        byTopic.values().forEach(request.topics()::add);
        link.send(ApiKeys.LIST_OFFSETS, (short) 7, request, 5_000, true, answer -> {
            busy = false;
            if (answer != null) {
                ((ListOffsetsResponseData) answer)
                        .topics()
                        .forEach(topic -> topic.partitions().forEach(each -> startFound(topic.name(), each)));
                next();
            }
        });
    }

    private void startFound(String topic, ListOffsetsPartitionResponse answer) {
        Place place = places.get(topic + "-" + answer.partitionIndex());
        if (answer.errorCode() == Errors.NONE.code()) {
            if (answer.offset() < place.logStart && net.nodes() == 1) {
                throw new RuleBroken(
                        "I12 log start rises only",
                        place.ledger.name() + " " + answer.offset() + " after " + place.logStart);
            }
            place.logStart = answer.offset();
            place.position = answer.offset();
            place.reset = false;
            place.changed = true;
        } else {
            net.count("listoffsets." + Errors.forCode(answer.errorCode()));
        }
    }

    // ---- fetching

    private void fetch() {
        boolean sessions = sessions();
        boolean incremental = sessions && sessionId != 0;
        FetchRequestData request = new FetchRequestData()
                .setMaxWaitMs(hurried && net.nodes() > 1 ? HURRIED_WAIT_MILLIS : spec.maxWaitMillis)
                .setMinBytes(hurried ? 1 : spec.minBytes)
                .setMaxBytes(hurried ? 1 << 20 : spec.maxBytes)
                .setIsolationLevel((byte) (spec.committedOnly ? 1 : 0));
        if (spec.version >= 7) {
            request.setSessionId(sessions ? sessionId : 0).setSessionEpoch(sessions ? sessionEpoch : -1);
        }
        Map<String, FetchTopic> byTopic = new LinkedHashMap<>();
        for (Place place : places.values()) {
            if (!incremental || place.changed) {
                byTopic.computeIfAbsent(place.ledger.topic, this::fetchTopic)
                        .partitions()
                        .add(new FetchPartition()
                                .setPartition(place.ledger.partition)
                                .setFetchOffset(place.position)
                                .setPartitionMaxBytes(hurried ? 1 << 20 : spec.partitionBytes));
                place.changed = false;
            }
        }
        byTopic.values().forEach(request.topics()::add);
        long timeout = spec.maxWaitMillis + 5_000L;
        link.send(ApiKeys.FETCH, spec.version, request, timeout, true, this::fetched);
    }

    private boolean sessions() {
        return spec.sessions && spec.version >= 7 && net.nodes() == 1;
    }

    private FetchTopic fetchTopic(String topic) {
        return spec.version >= 13 ? new FetchTopic().setTopicId(topics.id(topic)) : new FetchTopic().setTopic(topic);
    }

    private void fetched(ApiMessage message) {
        busy = false;
        if (message == null) {
            return;
        }
        FetchResponseData answer = (FetchResponseData) message;
        Errors error = Errors.forCode(answer.errorCode());
        if (error != Errors.NONE) {
            net.count("fetch." + error);
            resetSession();
            later(50);
            return;
        }
        if (sessions()) {
            sessionId = answer.sessionId();
            sessionEpoch = sessionId == 0 ? 0 : sessionEpoch + 1;
        }
        boolean troubled = false;
        for (FetchableTopicResponse topic : answer.responses()) {
            String topicName = topics.name(topic.topic(), topic.topicId());
            for (PartitionData each : topic.partitions()) {
                Place place = places.get(topicName + "-" + each.partitionIndex());
                if (place == null) {
                    throw new RuleBroken(
                            "V4 answers", name + " did not ask for " + topicName + "-" + each.partitionIndex());
                }
                troubled |= !partition(place, each);
            }
        }
        if (troubled) {
            resetSession();
            later(100);
        } else if (!hurried && random.chance(0.02)) {
            again();
            later(random.below(500));
        } else {
            next();
        }
    }

    private void resetSession() {
        sessionId = 0;
        sessionEpoch = 0;
    }

    /** Another pass from the start. */
    private void again() {
        for (Place place : places.values()) {
            if (place.position >= place.highWatermark && random.chance(0.5)) {
                place.position = place.ledger.logStart();
                place.changed = true;
                net.count("consumer.passes");
            }
        }
    }

    private boolean partition(Place place, PartitionData data) {
        PartitionLedger ledger = place.ledger;
        SimLife server = link.answering(data);
        Errors error = Errors.forCode(data.errorCode());
        switch (error) {
            case NONE -> {
                if (place.said != server) {
                    // Another node may not know yet how far all have come, and deletes old records by itself.
                    place.highWatermark = net.nodes() > 1 ? 0 : place.highWatermark;
                    place.logStart = net.nodes() > 1 ? 0 : place.logStart;
                    place.said = server;
                }
                if (!(ledger.lossy() || (!ledger.durable && server.powerLost()))) {
                    bounds(place, data);
                }
                place.highWatermark = data.highWatermark();
                records(place, data, server);
                return true;
            }
            case OFFSET_OUT_OF_RANGE -> {
                if (!ledger.trimmed && !ledger.lossy() && !server.powerLost()) {
                    throw new RuleBroken("I13 fetch range", name + " at " + place.position + " of " + ledger.name());
                }
                place.reset = true;
                return true;
            }
            case UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID -> {
                topics.forget(ledger.topic);
                net.unexpectedUnknownTopic(ledger.name(), server);
                return false;
            }
            case CORRUPT_MESSAGE -> {
                // Rule S8: what a power cut took out of the middle of a memory-mode log is refused; a consumer may step
                // over it.
                net.count("fetch.CORRUPT_MESSAGE");
                if (!ledger.lossy()) {
                    throw new RuleBroken("S8 damage", "fetch at " + place.position + " of " + ledger.name());
                }
                place.position++;
                place.changed = true;
                return true;
            }
            default -> {
                net.count("fetch." + error);
                if (!SimOutcomes.retriable(error)) {
                    throw new RuleBroken("V3 errors", error + " for a fetch at " + ledger.name());
                }
                return false;
            }
        }
    }

    private static void bounds(Place place, PartitionData data) {
        PartitionLedger ledger = place.ledger;
        if (data.highWatermark() < place.highWatermark) {
            throw new RuleBroken(
                    "I4 high watermark rises only",
                    ledger.name() + " " + data.highWatermark() + " after " + place.highWatermark);
        }
        if (data.logStartOffset() >= 0) {
            if (data.logStartOffset() < place.logStart) {
                throw new RuleBroken(
                        "I12 log start rises only",
                        ledger.name() + " " + data.logStartOffset() + " after " + place.logStart);
            }
            place.logStart = data.logStartOffset();
            ledger.logStartSeen(data.logStartOffset());
        }
    }

    private void records(Place place, PartitionData data, SimLife server) {
        MemoryRecords records = (MemoryRecords) data.records();
        if (records == null || records.sizeInBytes() == 0) {
            return;
        }
        List<PartitionLedger.Found> found =
                new ArrayList<>(SimFetches.records(place.ledger.name(), records, place.position));
        for (PartitionLedger.Found each : found) {
            if (each.offset() != place.position) {
                throw new RuleBroken(
                        "V1 no record is skipped",
                        name + " at " + place.position + " of " + place.ledger.name() + " got " + each.offset());
            }
            if (each.offset() >= data.highWatermark()) {
                throw new RuleBroken(
                        "V1 only committed records",
                        place.ledger.name() + "@" + each.offset() + ", high watermark " + data.highWatermark());
            }
            place.ledger.see(each.offset(), each.value(), server);
            place.position++;
            place.changed = true;
        }
        net.count("consumer.records");
    }
}
