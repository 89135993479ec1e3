package protocol;

import static org.junit.jupiter.api.Assertions.assertTrue;

import config.BrokerConfig;
import controller.ControllerMachine;
import controller.Joining;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import metadata.EffectiveConfigs;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;
import services.ClusterService;
import services.ConfigService;
import services.LogDirService;
import services.LogLevels;
import services.QuotaService;
import services.TopicService;

/** Whatever a client asks the admin handlers, in any version, it gets one answer that this version can carry; nothing throws and no state breaks. */
class LikelyAdminRequestsTest {
    private static final long SEED = 74_000_001;
    private static final int ROUNDS = 20_000;

    private final Random random = new Random(SEED);

    @Test
    void everyRequestIsAnswered() {
        BrokerConfig config = BrokerConfig.parse(new TreeMap<>()).config();
        ControllerMachine machine =
                new ControllerMachine(config, new sim.SimRandom(SEED), MetadataImage.empty("AAAAAAAAQAGAAAAAAAAAAg"));
        MachineMailboxes node = new MachineMailboxes(machine);
        node.replay(machine.bootstrap());
        Joining.join(
                machine,
                Joining.registration(
                        config.node().nodeId(), "AAAAAAAAQAGAAAAAAAAAAg", new Uuid(4, 4), List.of(new Uuid(4, 5)), -1),
                null,
                node::replay);
        // Without its only broker the cluster would take little more.
        List<ApiHandler> handlers = handlers(config, node).stream()
                .filter(each -> each.key() != ApiKeys.UNREGISTER_BROKER)
                .toList();
        for (int round = 0; round < ROUNDS; round++) {
            ApiHandler handler = handlers.get(random.nextInt(handlers.size()));
            ask(handler, node, round);
        }
        assertTrue(node.image().version() > 150, "only " + node.image().version() + " records came of it");
    }

    private static List<ApiHandler> handlers(BrokerConfig config, MachineMailboxes node) {
        return AdminHandlers.of(new AdminHandlers.Parts(
                new TopicService(node, true, true),
                new ConfigService(
                        node,
                        new EffectiveConfigs(config),
                        LogLevels.NONE,
                        config.node().nodeId(),
                        1_000),
                new QuotaService(node, 1_000),
                new LogDirService(node, 1, 1_000),
                new ClusterService(node, 1_000),
                20));
    }

    private void ask(ApiHandler handler, MachineMailboxes node, int round) {
        List<Uuid> ids = new ArrayList<>();
        node.image().topics().forEach(topic -> ids.add(topic.id()));
        short version =
                (short) (handler.minVersion() + random.nextInt(handler.maxVersion() - handler.minVersion() + 1));
        ApiMessage request = new LikelyRequests(random, ids).fill(LikelyRequests.newRequest(handler));
        ApiMessage decoded;
        try {
            decoded = decoded(handler, request, version);
        } catch (UnsupportedVersionException | NullPointerException e) {
            // What this version cannot carry does not come.
            return;
        }
        String which = "seed " + SEED + ", round " + round + ": " + handler.key() + " version " + version;
        try {
            ApiMessage answer =
                    HandlerCall.of(handler, version, node::image, decoded).answer(ApiMessage.class);
            MessageUtil.toByteBufferAccessor(answer, version);
        } catch (RuntimeException e) {
            throw new AssertionError(which, e);
        }
    }

    private static ApiMessage decoded(ApiHandler handler, ApiMessage request, short version) {
        ByteBuffer bytes = MessageUtil.toByteBufferAccessor(request, version).buffer();
        ApiMessage decoded = LikelyRequests.newRequest(handler);
        decoded.read(new ByteBufferAccessor(bytes), version);
        return decoded;
    }
}
