package crash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import compat.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real broker that is killed with -9 while KIP-848 consumers, some with a pattern, and cooperative ones work, come, go, and commit, static members among them.
 * After each start committed offsets are where they were or further (G2, G8), and the groups share their partitions again (L5), one owner each (G4, G5); in the end
 * every record was read. {@code -Dcrash.groups.kills=N} runs it for longer.
 */
@ExtendWith(QuietClients.class)
class ConsumerGroupKillTest {
    /** What may be going on when the broker dies. */
    private static final int KINDS = 4;

    private static final int KILLS = Integer.getInteger("crash.groups.kills", KINDS);
    private static final long SEED = Long.getLong("crash.groups.seed", 31);
    private static final String TOPIC = "t";
    /** The name of each further topic begins like this; the pattern finds them. */
    private static final String MORE = "t-more-";

    private static final int PARTITIONS = 4;
    private static final int RECORDS_A_ROUND = 200;

    @TempDir
    Path home;

    private final Random random = new Random(SEED);
    private final List<GroupTeam> teams = new ArrayList<>();
    private final List<String> more = new ArrayList<>();
    private RealBroker broker;
    private Admin admin;
    private NumberedSource source;
    private GroupTeam patterns;

    @Test
    void groupsOutliveTheirBroker() throws Exception {
        broker = new RealBroker(
                home,
                "group.initial.rebalance.delay.ms=0",
                "group.consumer.min.heartbeat.interval.ms=200",
                "group.consumer.heartbeat.interval.ms=200",
                "offsets.topic.num.partitions=3");
        try {
            broker.start();
            admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap(), "reconnect.backoff.max.ms", 100));
            create(TOPIC, PARTITIONS);
            source = new NumberedSource(broker);
            begin();
            for (int kill = 0; kill < KILLS; kill++) {
                round(kill);
            }
            source.flush();
            await("all is read and committed", each -> {
                each.commit();
                return each.isDone(source);
            });
            for (GroupTeam each : teams) {
                each.check(admin);
            }
        } finally {
            close();
        }
    }

    private void begin() throws Exception {
        GroupTeam modern = GroupTeam.of(broker, "modern", GroupMember.Protocol.CONSUMER, TOPIC);
        GroupTeam cooperative = GroupTeam.of(broker, "cooperative", GroupMember.Protocol.COOPERATIVE, TOPIC);
        patterns = GroupTeam.ofPattern(broker, "patterns", TOPIC + ".*");
        teams.addAll(List.of(modern, cooperative, patterns));
        modern.joinStatic("keeps").joinStatic("returns").join("goes");
        cooperative.joinStatic("returns").join("goes").join("stays");
        patterns.joinStatic("returns").join("goes");
        teams.forEach(each -> each.reads(TOPIC, PARTITIONS));
        settle();
    }

    /** Something changes in each group, and the broker dies in the middle of it. */
    private void round(int kill) throws Exception {
        source.send(TOPIC, PARTITIONS, RECORDS_A_ROUND);
        more.forEach(each -> source.send(each, 1, RECORDS_A_ROUND / 10));
        Map<GroupTeam, Set<TopicPartition>> away = new LinkedHashMap<>();
        switch (kill % KINDS) {
            case 0 -> teams.forEach(each -> away.put(each, each.leave("returns")));
            case 1 ->
                teams.forEach(each -> {
                    each.leave("goes");
                    each.join("goes");
                });
            case 2 -> {
                String topic = MORE + kill;
                create(topic, 1);
                more.add(topic);
                patterns.reads(topic, 1);
            }
            default -> {
                // Only records and commits.
            }
        }
        for (int polls = random.nextInt(12); polls > 0; polls--) {
            teams.forEach(GroupTeam::poll);
        }
        broker.kill();
        broker.start();
        for (GroupTeam each : teams) {
            each.check(admin);
        }
        away.keySet().forEach(each -> each.joinStatic("returns"));
        settle();
        // A classic member may have had to rebalance while it was away.
        away.keySet().removeIf(each -> each.protocol() == GroupMember.Protocol.COOPERATIVE);
        away.forEach((team, had) ->
                assertEquals(had, Set.copyOf(team.member("returns").assignment()), () -> "static: " + team));
    }

    private void create(String topic, int partitions) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                .all()
                .get(120, TimeUnit.SECONDS);
    }

    private void settle() throws Exception {
        await("the groups share their partitions", GroupTeam::isSettled);
    }

    private interface Condition {
        boolean holds(GroupTeam team);
    }

    private void await(String what, Condition condition) throws Exception {
        try {
            Await.until(what, () -> {
                teams.forEach(GroupTeam::poll);
                return teams.stream().filter(condition::holds).count() == teams.size();
            });
        } catch (AssertionError late) {
            throw new AssertionError("seed " + SEED + ", " + teams + '\n' + broker.output(), late);
        }
    }

    private void close() {
        teams.forEach(GroupTeam::close);
        if (source != null) {
            source.close();
        }
        if (admin != null) {
            admin.close();
        }
        broker.close();
    }
}
