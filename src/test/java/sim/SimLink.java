package sim;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * What a client talks to: one line where there is one node. In a cluster a line to one node after the other, whoever answers (its home), and lines to those that
 * lead: parts of a request go where they belong as far as the client knows, and the answers come together. To the client it looks like one connection: when
 * its home is lost nothing more comes of what it asked, when a part of an answer is lost the whole is.
 */
final class SimLink {
    private static final long REFRESH_AFTER = 500 * SimScheduler.MILLI;
    private static final long REFRESH_PAUSE = 50 * SimScheduler.MILLI;
    private static final int REFRESH_TIMEOUT_MILLIS = 3_000;

    private final SimNet net;
    private final SimRandom random;
    private final String clientId;
    private final Runnable onConnected;
    private final boolean cluster;
    private final Map<Integer, SimLine> lines = new TreeMap<>();
    private final List<Call> calls = new ArrayList<>();
    private final SimRoutes routes = new SimRoutes();
    private SimLine home;
    private SimLife answering;
    private IdentityHashMap<FetchResponseData.PartitionData, SimLife> fetchedFrom = new IdentityHashMap<>();
    private boolean atCoordinator;
    private boolean waking;
    private boolean stopped;
    private boolean refreshing;
    private long refreshedAt = Long.MIN_VALUE / 2;

    /** @param onConnected told each time that a new connection is open, and in a cluster, when something that was asked got no answer, that it may go on */
    SimLink(SimNet net, SimRandom random, String clientId, Runnable onConnected) {
        this.net = net;
        this.random = random;
        this.clientId = clientId;
        this.onConnected = onConnected;
        this.cluster = net.nodes() > 1;
        this.home = line(cluster ? random.below(net.nodes()) : 0);
    }

    private SimLine line(int node) {
        return lines.computeIfAbsent(
                node, n -> new SimLine(net, random, clientId, n, () -> connected(n), () -> lost(n)));
    }

    boolean up() {
        return home.up();
    }

    int inFlight() {
        return cluster ? calls.size() : home.inFlight();
    }

    /** Whose answer is being handled: valid inside of onAnswer with an answer. Of several, one that lost its power if any did. */
    SimLife answering() {
        return cluster ? answering : home.answering();
    }

    /** Whose answer about one partition is being handled. */
    SimLife answering(FetchResponseData.PartitionData data) {
        return cluster ? fetchedFrom.getOrDefault(data, answering) : home.answering();
    }

    /** Connects unless it is, now or a little later, again and again. */
    void connect() {
        home.connect();
    }

    /** Which node it talks to about what any node, or a coordinator, answers; the first is 0. */
    int node() {
        return home.node();
    }

    /** That node is the coordinator of what is asked here. */
    void moveTo(int next) {
        atCoordinator = true;
        if (home.node() != next) {
            settle(next);
        }
    }

    /** Gives up for good. */
    void stop() {
        stopped = true;
        List.copyOf(lines.values()).forEach(SimLine::stop);
    }

    /** Closes the connection; what waits gets no answer; connects again unless stopped. */
    void disconnect() {
        List.copyOf(lines.values()).forEach(SimLine::disconnect);
    }

    /**
     * Sends a request on the open connection.
     *
     * @param timeoutMillis after which the client closes the connection
     * @param expectAnswer false for acks=0
     * @param onAnswer gets null when the connection ended first; not called if no answer is expected
     */
    void send(
            ApiKeys key,
            short version,
            ApiMessage request,
            long timeoutMillis,
            boolean expectAnswer,
            Consumer<ApiMessage> onAnswer) {
        if (!cluster) {
            home.send(key, version, request, timeoutMillis, expectAnswer, onAnswer);
            return;
        }
        if (net.scheduler().now() - refreshedAt > REFRESH_AFTER) {
            refresh();
        }
        Map<Integer, ApiMessage> parts = new SimSplit(routes, home.node(), atCoordinator).parts(key, request);
        Call call = new Call(parts.size(), onAnswer);
        if (expectAnswer) {
            calls.add(call);
        }
        parts.forEach((node, part) -> {
            SimLine to = line(node);
            if (to.up()) {
                to.send(key, version, part, timeoutMillis, expectAnswer, answer -> call.answered(to, answer));
            } else {
                to.connect();
                refresh();
                if (!expectAnswer) {
                    return;
                }
                long pause = (1 + random.below(20)) * SimScheduler.MILLI;
                net.scheduler().after(pause, null, "not-connected", () -> call.answered(to, null));
            }
        });
    }

    // ---- in a cluster

    private void connected(int node) {
        if (node == home.node()) {
            onConnected.run();
            if (cluster) {
                refresh();
            }
        }
    }

    private void lost(int node) {
        if (cluster && node == home.node() && !stopped) {
            settle(random.chance(0.5) ? random.below(net.nodes()) : node);
        }
    }

    private void settle(int node) {
        home = line(node);
        List<Call> open = List.copyOf(calls);
        calls.clear();
        open.forEach(Call::end);
        if (home.up()) {
            net.scheduler().after(1, null, "moved", () -> {
                if (home.node() == node && home.up() && !stopped) {
                    onConnected.run();
                }
            });
        } else {
            home.connect();
        }
    }

    /** Something has got no answer while its home is there. */
    private void wakeLater() {
        if (!waking && !stopped) {
            waking = true;
            net.scheduler().after((20 + random.below(150)) * SimScheduler.MILLI, null, "goes-on", () -> {
                waking = false;
                if (home.up() && calls.isEmpty() && !stopped) {
                    onConnected.run();
                }
            });
        }
    }

    private void refresh() {
        if (refreshing || !home.up() || net.scheduler().now() - refreshedAt < REFRESH_PAUSE) {
            return;
        }
        refreshing = true;
        MetadataRequestData request = new MetadataRequestData().setTopics(null).setAllowAutoTopicCreation(false);
        short version = ApiKeys.METADATA.latestVersion(false);
        somebody().send(ApiKeys.METADATA, version, request, REFRESH_TIMEOUT_MILLIS, true, answer -> {
            refreshing = false;
            refreshedAt = net.scheduler().now();
            if (answer != null) {
                learn((MetadataResponseData) answer);
            }
        });
    }

    /** Whoever answers may be cut off from the others, and know nothing new. */
    private SimLine somebody() {
        SimLine other = line(random.below(net.nodes()));
        if (!other.up()) {
            other.connect();
        }
        return other.up() ? other : home;
    }

    private void learn(MetadataResponseData answer) {
        routes.learn(answer);
        net.told(answer);
    }

    /** One request of the client. */
    private final class Call {
        private final int parts;
        private final Consumer<ApiMessage> onAnswer;
        private final List<ApiMessage> answers = new ArrayList<>();
        private final IdentityHashMap<FetchResponseData.PartitionData, SimLife> from = new IdentityHashMap<>();
        private SimLife server;
        private boolean over;

        private Call(int parts, Consumer<ApiMessage> onAnswer) {
            this.parts = parts;
            this.onAnswer = onAnswer;
        }

        private void answered(SimLine by, ApiMessage answer) {
            if (over) {
                return;
            }
            if (answer == null) {
                calls.remove(this);
                refresh();
                end();
                wakeLater();
                return;
            }
            answers.add(answer);
            if (answer instanceof FetchResponseData fetch) {
                fetch.responses().forEach(topic -> topic.partitions().forEach(each -> from.put(each, by.answering())));
            }
            if (server == null || by.answering().powerLost()) {
                server = by.answering();
            }
            if (answers.size() == parts) {
                calls.remove(this);
                over = true;
                whole(parts == 1 ? answer : SimMerge.merge(answers));
            }
        }

        private void whole(ApiMessage answer) {
            if (answer instanceof MetadataResponseData metadata) {
                learn(metadata);
            } else if (SimMerge.stale(answer)) {
                refresh();
            }
            answering = server;
            fetchedFrom = from;
            onAnswer.accept(answer);
        }

        private void end() {
            if (!over) {
                over = true;
                onAnswer.accept(null);
            }
        }
    }
}
