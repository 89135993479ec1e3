package sim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** Reads partitions with transactions, only what is committed or all, in passes from the start; judges each record that it is given (rules T8, T9, V1). */
final class SimTxnReader implements SimClient {
    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final boolean committedOnly;
    private final Map<String, Place> places = new LinkedHashMap<>();
    private final SimLink link;
    private final SimTxnGhosts ghosts;
    private boolean stopped;
    private boolean busy;
    private boolean hurried;

    private static final class Place {
        private final SimTxnPartition partition;
        private long position;
        private long limit;
        private int losses;
        private SimLife said;
        /** In this pass, the last record of each producer. */
        private final Map<Long, SimTxnEntry> last = new LinkedHashMap<>();

        private Place(SimTxnPartition partition) {
            this.partition = partition;
        }
    }

    /** @param ghosts told of all that a reader of all records comes to */
    SimTxnReader(
            SimNet net,
            SimRandom random,
            String name,
            boolean committedOnly,
            List<SimTxnPartition> partitions,
            SimTxnGhosts ghosts) {
        this.ghosts = ghosts;
        this.net = net;
        this.random = random;
        this.name = name;
        this.committedOnly = committedOnly;
        partitions.forEach(each -> places.put(each.name(), new Place(each)));
        this.link = new SimLink(net, random, name, this::connected);
    }

    @Override
    public void start() {
        link.connect();
    }

    @Override
    public void quiesce() {
        hurried = true;
    }

    @Override
    public String unfinished() {
        for (Place place : places.values()) {
            if (place.position < place.limit || place.limit < place.partition.knownEnd()) {
                return name + " is at " + place.position + " of " + place.partition.name() + ", readable up to "
                        + place.limit + ", records are known up to " + place.partition.knownEnd();
            }
        }
        return null;
    }

    @Override
    public void stop() {
        stopped = true;
        link.stop();
    }

    private void connected() {
        busy = false;
        fetch();
    }

    private void later(int millis) {
        net.scheduler().after((1L + random.below(millis)) * SimScheduler.MILLI, null, "txn-read", this::fetch);
    }

    private void fetch() {
        if (stopped || busy || !link.up()) {
            return;
        }
        busy = true;
        int most = random.chance(0.5) ? 1 << 20 : 1 + random.below(2_000);
        FetchRequestData request = new FetchRequestData()
                .setMaxWaitMs(random.below(400))
                .setMinBytes(hurried ? 1 : random.below(500))
                .setMaxBytes(hurried ? 1 << 20 : most)
                .setIsolationLevel((byte) (committedOnly ? 1 : 0));
        request.setSessionEpoch(-1);
        Map<String, FetchTopic> byTopic = new LinkedHashMap<>();
        for (Place place : places.values()) {
            byTopic.computeIfAbsent(place.partition.topic, topic -> new FetchTopic().setTopic(topic))
                    .partitions()
                    .add(new FetchPartition()
                            .setPartition(place.partition.partition)
                            .setFetchOffset(place.position)
                            .setPartitionMaxBytes(hurried ? 1 << 20 : most));
        }
        byTopic.values().forEach(request.topics()::add);
        long now = net.scheduler().now();
        // From 13 on topics are named by their ids.
        link.send(ApiKeys.FETCH, (short) random.between(4, 12), request, 5_000, true, answer -> fetched(answer, now));
    }

    private void fetched(ApiMessage message, long askedAt) {
        busy = false;
        if (message == null) {
            return;
        }
        FetchResponseData answer = (FetchResponseData) message;
        if (answer.errorCode() != Errors.NONE.code()) {
            throw new RuleBroken("V3 errors", Errors.forCode(answer.errorCode()) + " for a fetch of " + name);
        }
        boolean troubled = false;
        for (FetchableTopicResponse topic : answer.responses()) {
            for (PartitionData each : topic.partitions()) {
                troubled |= !partition(places.get(topic.topic() + "-" + each.partitionIndex()), each, askedAt);
            }
        }
        if (!hurried && random.chance(0.03)) {
            again();
        }
        if (troubled || random.chance(0.1)) {
            later(100);
        } else {
            fetch();
        }
    }

    private void again() {
        net.count(committedOnly ? "txn.committed-passes" : "txn.passes");
        places.values().forEach(place -> {
            place.position = random.belowLong(place.position + 1);
            place.last.clear();
        });
    }

    private boolean partition(Place place, PartitionData data, long askedAt) {
        if (place.losses < place.partition.losses()) {
            place.losses = place.partition.losses();
            place.limit = 0;
            place.last.clear();
        }
        Errors error = Errors.forCode(data.errorCode());
        if (error != Errors.NONE) {
            net.count("txn-fetch." + error);
            if (place.partition.lossy() && error == Errors.OFFSET_OUT_OF_RANGE) {
                place.position = 0;
            } else if (place.partition.lossy() && error == Errors.CORRUPT_MESSAGE) {
                place.partition.torn();
                place.position++;
            } else if (!SimOutcomes.retriable(error)) {
                throw new RuleBroken(
                        "V3 errors", error + " for a fetch at " + place.position + " of " + place.partition.name());
            }
            return false;
        }
        SimLife server = link.answering(data);
        if (place.said != server && net.nodes() > 1) {
            // Another node may not know yet how far all have come.
            place.limit = 0;
        }
        place.said = server;
        long limit = committedOnly ? data.lastStableOffset() : data.highWatermark();
        if (limit < place.limit) {
            throw new RuleBroken(
                    committedOnly ? "T8 the last stable offset never falls" : "I4 high watermark rises only",
                    name + " at " + place.partition.name() + ": " + limit + " after " + place.limit);
        }
        if (net.nodes() == 1) {
            // Elsewhere there may be records behind the high watermark of a new leader.
            place.partition.endsAt(data.highWatermark(), askedAt, server);
        }
        if (!place.partition.forgets(server)) {
            place.limit = limit;
        }
        for (SimTxnEntry each : SimTxnFetches.entries(place.partition, data, place.position, committedOnly)) {
            if (committedOnly) {
                place.partition.judged(each, name, server);
            } else {
                place.partition.saw(each, server);
                ghosts.saw(place.partition, each, place.last.get(each.producerId()));
                if (each.isData()) {
                    place.last.put(each.producerId(), each);
                }
            }
            place.position = each.offset() + 1;
            if (!each.visible()) {
                net.count(each.isData() ? "txn.aborted-records" : "txn.markers");
            }
        }
        return true;
    }
}
