package controller;

import highwater.metadata.MetadataRecord;
import java.util.List;
import java.util.function.Consumer;
import metadata.Features;
import metadata.MetadataImage.BrokerImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;

/** How brokers come to take part in a cluster, for tests of other things. */
public final class Joining {

    private Joining() {}

    /** @param previousEpoch after whose clean end the broker starts; -1: none */
    public static BrokerRegistrationRequestData registration(
            int broker, String clusterId, Uuid incarnation, List<Uuid> logDirs, long previousEpoch) {
        BrokerRegistrationRequestData request = new BrokerRegistrationRequestData()
                .setBrokerId(broker)
                .setClusterId(clusterId)
                .setIncarnationId(incarnation)
                .setLogDirs(logDirs)
                .setPreviousBrokerEpoch(previousEpoch);
        request.listeners()
                .add(new BrokerRegistrationRequestData.Listener()
                        .setName("PLAINTEXT")
                        .setHost("h" + broker)
                        .setPort(9092));
        Features.supported()
                .forEach((name, range) -> request.features()
                        .add(new BrokerRegistrationRequestData.Feature()
                                .setName(name)
                                .setMinSupportedVersion(range.min())
                                .setMaxSupportedVersion(range.max())));
        return request;
    }

    /** Of one that has followed the metadata to {@code version}. */
    public static BrokerHeartbeatRequestData heartbeat(BrokerImage broker, long version) {
        return new BrokerHeartbeatRequestData()
                .setBrokerId(broker.id())
                .setBrokerEpoch(broker.epoch())
                .setCurrentMetadataOffset(version - 1);
    }

    /** Registers and unfences it. */
    public static void join(
            ControllerMachine machine,
            BrokerRegistrationRequestData request,
            BootReport report,
            Consumer<List<MetadataRecord>> commit) {
        var registered = machine.registerBroker(request, report, 0);
        if (registered.answer().errorCode() != 0) {
            throw new AssertionError(registered.answer());
        }
        commit.accept(registered.records());
        BrokerImage broker = machine.latest().broker(request.brokerId());
        commit.accept(machine.heartbeat(heartbeat(broker, machine.latest().version()), 0)
                .records());
    }
}
