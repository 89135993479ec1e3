package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import coordinator.InstantRuntime.Answer;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import sim.SimRandom;

/**
 * One run of naive consumers of the KIP-848 protocol that join, leave, freeze, restart and lose answers, while topics come and go and the coordinator moves and
 * loses what it had not committed. Judges by the log and by what clients believe: G5, G6, G7; at the end L5.
 */
final class ConsumerModel {
    private static final int CLIENTS = 6;
    private static final String[] PATTERNS = {"t.*", "t[01]", "u?t1"};

    private final SimRandom random;
    private final TopicImages images = new TopicImages().topic("t0", 3).topic("t1", 2);
    private final ShardBench bench;
    private final OwnershipJudge judge = new OwnershipJudge();
    private final List<Client> clients = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private final TreeMap<String, Integer> topics = new TreeMap<>();
    private long nowMillis;
    private int made;
    private int handedOver;
    private int commits;

    private record Claim(String member, int epoch, Uuid topic, int partition) {}

    private final class Client {
        private final FakeConsumer consumer;
        private Answer<ConsumerGroupHeartbeatResponseData> asked;
        private long frozenUntil;
        private boolean deaf;

        Client(String instance) {
            consumer = new FakeConsumer(bench, "g", "m" + ++made)
                    .instance(instance)
                    .rebalanceTimeout(5_000 + random.below(20_000));
            subscribe();
        }

        void subscribe() {
            consumer.pattern(random.below(4) == 0 ? PATTERNS[random.below(PATTERNS.length)] : "");
            consumer.topics(
                    switch (random.below(4)) {
                        case 0 -> new String[] {"t0"};
                        case 1 -> new String[] {"t1", "t2"};
                        default -> new String[] {"t0", "t1", "t2"};
                    });
            consumer.tellAll();
        }

        /** Not while it waits for an answer, which would say that this was heard. */
        void resubscribe() {
            if (asked == null) {
                subscribe();
            }
        }

        void forget() {
            asked = null;
            consumer.forget();
        }

        void step() {
            if (nowMillis < frozenUntil) {
                return;
            }
            if (asked != null && asked.isDone()) {
                hear();
            }
            if (asked == null) {
                asked = consumer.start(consumer.request());
                if (asked.isDone()) {
                    hear();
                }
            }
        }

        private void hear() {
            if (asked.failure() == null && !deaf) {
                PartitionSet before = consumer.owned();
                consumer.take(asked.value());
                handedOver += consumer.owned().equals(before) ? 0 : 1;
                remember();
            } else {
                // It is not known what happened: a client then says all that it has.
                consumer.tellAll();
            }
            deaf = false;
            asked = null;
        }

        private void remember() {
            consumer.owned()
                    .forEach((topic, partition) ->
                            claims.add(new Claim(consumer.id, consumer.epoch(), topic, partition)));
            while (claims.size() > 200) {
                claims.remove(random.below(claims.size()));
            }
        }
    }

    ConsumerModel(long seed, Mutations mutations) {
        random = new SimRandom(seed);
        String interval = "group.consumer.assignment.interval.ms=" + (random.below(2) == 0 ? 0 : 1000);
        bench = new ShardBench(ShardBench.config(interval), images.image(), seed);
        bench.mutations(mutations);
        if (random.below(3) > 0) {
            bench.chance(point -> point.equals("group.assignment.large"));
            bench.holdComputations();
        }
        bench.reload();
        topics.put("t0", 3);
        topics.put("t1", 2);
    }

    int handedOver() {
        return handedOver;
    }

    int commits() {
        return commits;
    }

    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            disturb();
            for (Client client : List.copyOf(clients)) {
                if (random.below(3) > 0) {
                    client.step();
                    check();
                }
                if (random.below(4) == 0) {
                    bench.compute();
                }
            }
            commit();
            advance(random.below(3_000));
            check();
        }
        calmDown();
    }

    private void disturb() {
        switch (random.below(40)) {
            case 0, 1, 2, 3 -> arrive();
            case 4 -> any(client -> leave(client, ConsumerMember.LEFT));
            case 5, 6 -> any(client -> client.frozenUntil = nowMillis + random.below(70_000));
            case 7 -> any(this::restart);
            case 8, 9 -> any(client -> client.deaf = true);
            case 10 -> any(Client::resubscribe);
            case 11 -> any(clients::remove);
            case 12 -> makeTopic();
            case 13 -> growTopic();
            case 14 -> removeTopic();
            case 15, 16 -> bench.holdCommits();
            case 17 -> reload();
            case 18 -> any(Client::forget);
            default -> {}
        }
        if (bench.holdsCommits() && random.below(4) == 0) {
            if (random.below(3) == 0) {
                bench.failAppend();
            } else {
                bench.commit();
            }
        }
    }

    private void any(Consumer<Client> action) {
        if (!clients.isEmpty()) {
            action.accept(clients.get(random.below(clients.size())));
        }
    }

    private void arrive() {
        if (clients.size() < CLIENTS) {
            clients.add(new Client(random.below(2) == 0 ? null : "i" + made));
        }
    }

    private void leave(Client client, int how) {
        clients.remove(client);
        client.consumer.start(client.consumer.leaving(how));
    }

    /** A static member comes back at once, any other as a new one. */
    private void restart(Client client) {
        String instance = client.consumer.instance();
        leave(client, instance == null ? ConsumerMember.LEFT : ConsumerMember.LEFT_FOR_NOW);
        clients.add(new Client(instance));
    }

    private void makeTopic() {
        String name = "t" + random.below(3);
        if (!topics.containsKey(name)) {
            topics.put(name, 1 + random.below(4));
            bench.image(images.topic(name, topics.get(name)).image());
        }
    }

    private void growTopic() {
        String name = "t" + random.below(3);
        if (topics.containsKey(name)) {
            topics.merge(name, 1, Integer::sum);
            bench.image(images.grow(name, topics.get(name)).image());
        }
    }

    private void removeTopic() {
        String name = "t" + random.below(3);
        if (topics.remove(name) != null) {
            bench.image(images.remove(name).image());
        }
    }

    private void reload() {
        if (!bench.holdsCommits()) {
            String before = described();
            bench.reload();
            assertEquals(before, described(), "a load finds the same group");
        }
    }

    private String described() {
        return bench.read(shard -> shard.consumer().describe(List.of("g")))
                .value()
                .toString();
    }

    /** As often as not in the name of somebody who is long gone. */
    private void commit() {
        if (claims.isEmpty() || !(group() instanceof ConsumerGroup group)) {
            return;
        }
        Claim claim = claims.get(random.below(claims.size()));
        CommitVerdict verdict = group.checkCommit(new CommitClaim(claim.member, null, claim.epoch, false, (short) 10));
        if (verdict.error() == Errors.NONE
                && verdict.partitions().check("?", claim.topic, claim.partition) == Errors.NONE
                && !group.isEmpty()) {
            judge.read(bench.log());
            judge.judgeCommit(claim.member, claim.epoch, claim.topic, claim.partition);
            commits++;
        }
    }

    private Group group() {
        return bench.shard().groups().get("g");
    }

    private void advance(int millis) {
        nowMillis += millis;
        bench.advance(millis);
    }

    /** Nobody who is in the group believes to have what the coordinator gave to somebody else. */
    private void check() {
        judge.read(bench.log());
        if (bench.holdsCommits() || !(group() instanceof ConsumerGroup group)) {
            return;
        }
        for (Client client : clients) {
            ConsumerMember member = group.member(client.consumer.id);
            int epoch = client.consumer.epoch();
            if (member != null && (epoch == member.epoch() || epoch == member.previousEpoch())) {
                client.consumer
                        .owned()
                        .forEach((topic, partition) -> assertTrue(
                                judge.has(member.id(), topic, partition)
                                        || !othersHave(group, member, topic, partition),
                                () -> "G5: " + member.id() + " still has " + topic + "-" + partition));
            }
        }
    }

    private static boolean othersHave(ConsumerGroup group, ConsumerMember member, Uuid topic, int partition) {
        String owner = group.owner(topic, partition);
        return owner != null && !owner.equals(member.id());
    }

    /** Faults end: everybody heartbeats, and soon everything is assigned (L5). */
    private void calmDown() {
        if (bench.holdsCommits()) {
            bench.commit();
        }
        clients.forEach(client -> {
            client.frozenUntil = 0;
            client.deaf = false;
        });
        for (int i = 0; i < 40; i++) {
            clients.forEach(Client::step);
            while (bench.computations() > 0) {
                bench.compute();
                check();
            }
            advance(5_000);
        }
        if (clients.isEmpty() || !(group() instanceof ConsumerGroup group)) {
            return;
        }
        assertEquals("Stable", group.state(), "L5");
        assertEquals(clients.size(), group.members().size());
        PartitionSet.Builder owned = new PartitionSet.Builder();
        int sum = 0;
        for (Client client : clients) {
            assertEquals(group.target(client.consumer.id), client.consumer.owned(), "L5");
            client.consumer.owned().forEach(owned::add);
            sum += client.consumer.owned().size();
        }
        int expected = 0;
        for (String topic : topics.keySet()) {
            expected += group.isSubscribedTo(topic) ? topics.get(topic) : 0;
        }
        assertEquals(expected, sum);
        assertEquals(expected, owned.build().size());
    }
}
