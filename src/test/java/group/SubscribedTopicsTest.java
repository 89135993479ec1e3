package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

/** Which topics a group reads, and what that means for the age of offsets (KIP-211). */
class SubscribedTopicsTest {
    private static final long COMMITTED = 5;

    private static byte[] subscription(short version, String... topics) {
        ByteBuffer bytes = ConsumerProtocol.serializeSubscription(new Subscription(List.of(topics)), version);
        return Utils.toArray(bytes);
    }

    @Test
    void allVersionsAreRead() {
        for (short version = 0; version <= 3; version++) {
            byte[] bytes = subscription(version, "a", "b");
            assertEquals(Set.of("a", "b"), new SubscribedTopics(List.of(bytes)).topics());
        }
        byte[] newer = subscription((short) 3, "a");
        newer[1] = 99;
        assertEquals(Set.of("a"), new SubscribedTopics(List.of(newer)).topics(), "a version that is not known yet");
    }

    @Test
    void oneThatIsNoSubscriptionMakesThemUnknown() {
        for (byte[] odd : List.of(new byte[0], new byte[] {0, 0, 0}, ClassicLab.bytes("says something"))) {
            assertNull(new SubscribedTopics(List.of(subscription((short) 1, "a"), odd)).topics());
        }
        assertNull(SubscribedTopics.unknown().topics());
    }

    @Test
    void offsetsOfTopicsThatAreReadDoNotAge() {
        ClassicLab lab = new ClassicLab();
        JoinGroupRequestData request = ClassicLab.joining(lab.newId());
        request.protocols().iterator().next().setMetadata(subscription((short) 1, "read"));
        var join = lab.join(request);
        lab.bench.advance(ClassicLab.INITIAL_DELAY);
        assertEquals(Group.NO_EXPIRY, lab.group().expiryBase("read", COMMITTED), "nobody knows in a rebalance");
        lab.sync(join.value().memberId(), 1, join.value().memberId(), "all");
        Group group = lab.group();
        assertTrue(group.isSubscribedTo("read"));
        assertFalse(group.isSubscribedTo("other"));
        assertEquals(Group.NO_EXPIRY, group.expiryBase("read", COMMITTED));
        assertEquals(COMMITTED, group.expiryBase("other", COMMITTED));
        lab.bench.reload();
        assertTrue(lab.group().isSubscribedTo("read"));
        assertFalse(lab.group().isSubscribedTo("other"));
        lab.leave(join.value().memberId());
        long empty = lab.bench.context().clock().wallMillis();
        lab.bench.advance(1_000);
        lab.bench.reload();
        assertEquals(empty, lab.group().expiryBase("read", COMMITTED), "since the group is empty");
    }

    @Test
    void othersThanConsumersAreNotKnown() {
        ClassicLab lab = new ClassicLab();
        JoinGroupRequestData request = ClassicLab.joining("").setProtocolType("connect");
        var join = lab.join(request, 3);
        lab.bench.advance(ClassicLab.INITIAL_DELAY);
        lab.sync(join.value().memberId(), 1, join.value().memberId(), "all");
        assertEquals("Stable", lab.state());
        assertFalse(lab.group().isSubscribedTo("read"));
        assertEquals(Group.NO_EXPIRY, lab.group().expiryBase("read", COMMITTED));
    }
}
