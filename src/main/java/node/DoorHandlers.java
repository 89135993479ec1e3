package node;

import common.Mailboxes;
import common.Ports;
import config.BrokerConfig;
import config.RequestConfig;
import java.util.ArrayList;
import java.util.List;
import metadata.EffectiveConfigs;
import protocol.AdminHandlers;
import protocol.ApiHandler;
import protocol.DataPlane;
import protocol.GroupHandlers;
import services.ClusterService;
import services.ConfigService;
import services.FetchService;
import services.FetchSessions;
import services.GroupCoordinators;
import services.InternalTopics;
import services.LogDirService;
import services.LogLevels;
import services.OffsetService;
import services.ProduceService;
import services.ProducerIdService;
import services.QuotaService;
import services.TopicService;

/** Makes the services and handlers of one loop's connections; the one list of what this broker answers (rule R8). */
final class DoorHandlers {

    private DoorHandlers() {}

    /** Which loop of how many; loggers of the process. */
    record Place(int loop, int loops, LogLevels loggers) {}

    static List<ApiHandler> of(BrokerConfig config, EffectiveConfigs effective, Ports ports, Place place) {
        List<ApiHandler> all = new ArrayList<>(dataPlane(config, ports, place));
        Mailboxes mailboxes = ports.mailboxes();
        TopicService topics = new TopicService(
                mailboxes, config.topics().autoCreate(), config.topics().deleteEnabled());
        all.addAll(adminPlane(config, effective, topics, mailboxes, place));
        all.addAll(GroupHandlers.of(new GroupHandlers.Parts(
                new GroupCoordinators(mailboxes, place.loops),
                new InternalTopics(topics, config.groups().topic()),
                config.groups())));
        return all;
    }

    private static List<ApiHandler> dataPlane(BrokerConfig config, Ports ports, Place place) {
        Mailboxes mailboxes = ports.mailboxes();
        RequestConfig requests = config.requests();
        int nodeId = config.node().nodeId();
        ProducerIdService producerIds = new ProducerIdService(mailboxes, nodeId);
        int slots = Math.max(1, requests.fetchSessionSlots() / place.loops);
        return DataPlane.handlers(
                nodeId,
                new ProduceService(mailboxes, place.loops),
                new FetchService(mailboxes, place.loops, place.loop),
                new FetchSessions(ports.clock(), ports.random(), ports.metrics(), slots),
                requests.fetchMaxBytes(),
                new OffsetService(mailboxes, place.loops),
                producerIds::next);
    }

    private static List<ApiHandler> adminPlane(
            BrokerConfig config, EffectiveConfigs effective, TopicService topics, Mailboxes mailboxes, Place place) {
        RequestConfig requests = config.requests();
        long timeout = requests.requestTimeoutMillis();
        ConfigService configs = new ConfigService(
                mailboxes, effective, place.loggers, config.node().nodeId(), timeout);
        return AdminHandlers.of(new AdminHandlers.Parts(
                topics,
                configs,
                new QuotaService(mailboxes, timeout),
                new LogDirService(mailboxes, place.loops, timeout),
                new ClusterService(mailboxes, timeout),
                requests.maxRequestPartitions()));
    }
}
