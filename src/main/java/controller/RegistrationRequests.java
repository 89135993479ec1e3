package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.DirectoryId;
import metadata.Features;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.BrokerStart;
import metadata.MetadataImage.Endpoint;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * BrokerRegistration (KIP-631, KIP-858, KIP-966; rules C1, C3): a broker process is known from the offset of its record on, and fenced until it has caught up. What it
 * may have lost is taken from it before its record stands in the log. Its epoch is written down, as a control record may come between the parts. A repeat by the same process changes at most what it says of itself.
 */
final class RegistrationRequests {
    private static final Logger LOG = LoggerFactory.getLogger(RegistrationRequests.class);

    private final BrokerSessions sessions;

    RegistrationRequests(BrokerSessions sessions) {
        this.sessions = sessions;
    }

    /** @param report null: the broker says nothing of it */
    Decision<BrokerRegistrationResponseData> decide(
            PartitionChanges changes, BrokerRegistrationRequestData request, BootReport report, long nowNanos) {
        sessions.now(nowNanos);
        MetadataImage image = changes.image();
        BrokerImage known = image.broker(request.brokerId());
        try {
            check(image, known, request, report);
        } catch (Refusal refusal) {
            LOG.warn("the registration of broker {} is refused: {}", request.brokerId(), refusal.getMessage());
            return Decision.unchanged(new BrokerRegistrationResponseData()
                    .setErrorCode(refusal.error().code()));
        }
        if (known != null && known.incarnationId().equals(request.incarnationId())) {
            return amended(image, known, request, nowNanos);
        }
        List<MetadataRecord> records = new ArrayList<>();
        ReplicaLoss loss = ReplicaLoss.of(known, request, report);
        records.addAll(loss.records(changes.without(request.brokerId())));
        long epoch = image.version() + records.size();
        records.add(MetadataRecords.broker(broker(request, epoch, true, start(known, request, report), false)));
        sessions.registered(request.brokerId(), epoch, nowNanos);
        LOG.info(
                "broker {} is registered with epoch {}; {} partitions change",
                request.brokerId(),
                epoch,
                records.size() - 1);
        return Decision.inParts(records, new BrokerRegistrationResponseData().setBrokerEpoch(epoch));
    }

    private Decision<BrokerRegistrationResponseData> amended(
            MetadataImage image, BrokerImage known, BrokerRegistrationRequestData request, long nowNanos) {
        sessions.heard(known.id(), known.epoch(), -1, nowNanos);
        BrokerStart before = known.start();
        BrokerStart start = new BrokerStart(before.bootId(), before.cleanEpoch(), before.durable(), features(request));
        BrokerImage amended = broker(request, known.epoch(), known.fenced(), start, known.inControlledShutdown());
        BrokerRegistrationResponseData answer = new BrokerRegistrationResponseData().setBrokerEpoch(known.epoch());
        return amended.equals(image.broker(known.id()))
                ? Decision.unchanged(answer)
                : new Decision<>(List.of(MetadataRecords.broker(amended)), answer);
    }

    private void check(MetadataImage image, BrokerImage known, BrokerRegistrationRequestData request, BootReport report)
            throws Refusal {
        if (!image.clusterId().equals(request.clusterId())) {
            throw new Refusal(
                    Errors.INCONSISTENT_CLUSTER_ID,
                    "Expected cluster ID " + image.clusterId() + ", but got cluster ID " + request.clusterId());
        }
        boolean another = known != null && !known.incarnationId().equals(request.incarnationId());
        if (another && sessions.isLive(known) && !ReplicaLoss.isSuccessor(known, request, report)) {
            throw new Refusal(
                    Errors.DUPLICATE_BROKER_REGISTRATION,
                    "Another broker is registered with that broker id. If the broker was recently restarted this should"
                            + " self-resolve once the heartbeat manager expires the broker's session.");
        }
        if (request.isMigratingZkBroker()) {
            throw new Refusal(Errors.BROKER_ID_NOT_REGISTERED, "Controller does not support registering ZK brokers.");
        }
        checkDirectories(image, request);
        checkListeners(request);
        checkFeatures(image, request);
    }

    private static void checkDirectories(MetadataImage image, BrokerRegistrationRequestData request) throws Refusal {
        if (request.logDirs().isEmpty()) {
            throw invalid("No directories specified in request");
        }
        if (request.logDirs().stream().anyMatch(DirectoryId::isReserved)) {
            throw invalid("Reserved directory ID in request");
        }
        if (new LinkedHashSet<>(request.logDirs()).size() < request.logDirs().size()) {
            throw invalid("Duplicate directory ID in request");
        }
        for (BrokerImage other : image.brokers()) {
            for (Uuid dir : request.logDirs()) {
                if (other.id() != request.brokerId() && other.logDirs().contains(dir)) {
                    throw invalid("Broker " + other.id() + " is already registered with directory " + dir);
                }
            }
        }
    }

    private static void checkListeners(BrokerRegistrationRequestData request) throws Refusal {
        for (BrokerRegistrationRequestData.Listener each : request.listeners()) {
            if (securityProtocol(each) == null) {
                throw invalid(
                        "Listener " + each.name() + " has an unknown security protocol: " + each.securityProtocol());
            }
        }
    }

    /** null: there is none with its number. */
    private static String securityProtocol(BrokerRegistrationRequestData.Listener listener) {
        int number = listener.securityProtocol();
        return number < 0 || number >= Endpoint.SECURITY_PROTOCOLS.size()
                ? null
                : Endpoint.SECURITY_PROTOCOLS.get(number);
    }

    private static void checkFeatures(MetadataImage image, BrokerRegistrationRequestData request) throws Refusal {
        Map<String, Features.Range> offered = features(request);
        if (!offered.containsKey(Features.METADATA_VERSION)) {
            throw invalid("Request features do not contain '" + Features.METADATA_VERSION + "'");
        }
        for (Map.Entry<String, Short> each : image.features().finalized().entrySet()) {
            Features.Range range = offered.getOrDefault(each.getKey(), new Features.Range((short) 0, (short) 0));
            short level = each.getValue();
            if (level < range.min() || level > range.max()) {
                throw new Refusal(
                        Errors.UNSUPPORTED_VERSION,
                        "Unable to register because the broker does not support finalized version " + level + " of "
                                + each.getKey() + ". The broker wants a version between " + range.min() + " and "
                                + range.max() + ", inclusive.");
            }
        }
    }

    private static Map<String, Features.Range> features(BrokerRegistrationRequestData request) {
        TreeMap<String, Features.Range> offered = new TreeMap<>();
        for (BrokerRegistrationRequestData.Feature each : request.features()) {
            offered.put(each.name(), new Features.Range(each.minSupportedVersion(), each.maxSupportedVersion()));
        }
        return Collections.unmodifiableMap(offered);
    }

    private static BrokerStart start(BrokerImage known, BrokerRegistrationRequestData request, BootReport report) {
        boolean mixed = known != null
                && ReplicaLoss.survivesUnsynced(known, request, report)
                && !known.start().durable();
        return new BrokerStart(
                report == null ? null : report.bootId(),
                cleanEpoch(known, request),
                report != null && report.durable() && !mixed,
                features(request));
    }

    /** The epoch after whose clean end nothing was written: the last one's, or that which the last process started from, too, and ended before it wrote. */
    static long cleanEpoch(BrokerImage known, BrokerRegistrationRequestData request) {
        long told = request.previousBrokerEpoch();
        boolean clean = known != null
                && told >= 0
                && (told == known.epoch() || told == known.start().cleanEpoch());
        return clean ? told : -1;
    }

    private static BrokerImage broker(
            BrokerRegistrationRequestData request,
            long epoch,
            boolean fenced,
            BrokerStart start,
            boolean shuttingDown) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (BrokerRegistrationRequestData.Listener each : request.listeners()) {
            // Of a node that advertises no host: its clients are told the address that they came to.
            String host = each.host().isEmpty() ? null : each.host();
            endpoints.add(new Endpoint(each.name(), host, each.port(), securityProtocol(each)));
        }
        return new BrokerImage(
                request.brokerId(),
                epoch,
                request.incarnationId(),
                List.copyOf(endpoints),
                request.rack(),
                fenced,
                List.copyOf(request.logDirs()),
                start,
                shuttingDown);
    }

    private static Refusal invalid(String message) {
        return new Refusal(Errors.INVALID_REGISTRATION, message);
    }
}
