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
import protocol.InitProducerIdHandler;
import protocol.TransactionHandlers;
import protocol.WriteTxnMarkersHandler;
import services.ClusterService;
import services.ConfigService;
import services.FetchService;
import services.FetchSessions;
import services.GroupCoordinators;
import services.InternalTopics;
import services.LogDirService;
import services.LogLevels;
import services.MarkerService;
import services.OffsetService;
import services.ProduceService;
import services.ProducerIdService;
import services.QuotaService;
import services.TopicService;
import services.TransactionCoordinators;
import services.TransactionService;

/** Makes the services and handlers of one loop's connections; the one list of what this broker answers (rule R8). */
final class DoorHandlers {

    private DoorHandlers() {}

    /** Which loop of how many; loggers of the process. */
    record Place(int loop, int loops, LogLevels loggers) {}

    /** Services that others on the loop use too. */
    record Services(ProducerIdService producerIds, TransactionService transactions, MarkerService markers) {
        Services(BrokerConfig config, Ports ports, int loops) {
            this(new ProducerIdService(ports.mailboxes(), config.node().nodeId()), ports, loops);
        }

        private Services(ProducerIdService producerIds, Ports ports, int loops) {
            this(
                    producerIds,
                    new TransactionService(
                            new TransactionCoordinators(ports.mailboxes(), loops),
                            producerIds,
                            TransactionCoordinatorNode.COMMIT_TIMEOUT_MILLIS),
                    new MarkerService(ports.mailboxes(), loops));
        }
    }

    static List<ApiHandler> of(
            BrokerConfig config, EffectiveConfigs effective, Ports ports, Services services, Place place) {
        List<ApiHandler> all = new ArrayList<>(dataPlane(config, ports, services, place));
        Mailboxes mailboxes = ports.mailboxes();
        TopicService topics = new TopicService(
                mailboxes, config.topics().autoCreate(), config.topics().deleteEnabled());
        all.addAll(adminPlane(config, effective, topics, mailboxes, place));
        InternalTopics internalTopics = new InternalTopics(
                topics, config.groups().topic(), config.transactions().topic());
        all.addAll(GroupHandlers.of(new GroupHandlers.Parts(
                new GroupCoordinators(mailboxes, place.loops), internalTopics, config.groups())));
        all.addAll(TransactionHandlers.of(services.transactions, internalTopics));
        all.add(new WriteTxnMarkersHandler(services.markers));
        return all;
    }

    private static List<ApiHandler> dataPlane(BrokerConfig config, Ports ports, Services services, Place place) {
        Mailboxes mailboxes = ports.mailboxes();
        RequestConfig requests = config.requests();
        int nodeId = config.node().nodeId();
        int slots = Math.max(1, requests.fetchSessionSlots() / place.loops);
        return DataPlane.handlers(
                nodeId,
                new ProduceService(mailboxes, place.loops),
                new FetchService(mailboxes, place.loops, place.loop),
                new FetchSessions(ports.clock(), ports.random(), ports.metrics(), slots),
                requests,
                new OffsetService(mailboxes, place.loops),
                new InitProducerIdHandler(services.producerIds::next, services.transactions));
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
