package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.message.UnregisterBrokerResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of registered brokers (rule C2; KIP-631): they take part once they have caught up, lose all leaderships before they end, and are fenced when they are
 * not heard of. The records of one decision may be more than a batch takes; any first part of them may be all that is committed.
 */
final class BrokerLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerLifecycle.class);

    private final BrokerSessions sessions;

    BrokerLifecycle(BrokerSessions sessions) {
        this.sessions = sessions;
    }

    /** BrokerHeartbeat. */
    Decision<BrokerHeartbeatResponseData> heartbeat(
            PartitionChanges changes, BrokerHeartbeatRequestData request, long nowNanos) {
        MetadataImage image = changes.image();
        BrokerImage broker = image.broker(request.brokerId());
        if (broker == null || broker.epoch() != request.brokerEpoch()) {
            return Decision.unchanged(new BrokerHeartbeatResponseData().setErrorCode(Errors.STALE_BROKER_EPOCH.code()));
        }
        sessions.heard(broker.id(), broker.epoch(), request.currentMetadataOffset(), nowNanos);
        BrokerHeartbeatResponseData answer =
                new BrokerHeartbeatResponseData().setIsCaughtUp(request.currentMetadataOffset() >= broker.epoch());
        List<MetadataRecord> broken = withoutDirectories(changes, broker, request.offlineLogDirs());
        if (!broken.isEmpty()) {
            return Decision.inParts(broken, answer.setIsFenced(broker.fenced()));
        }
        if (broker.fenced()) {
            return whileFenced(changes, broker, request, answer);
        }
        if (request.wantFence()) {
            answer.setIsFenced(true).setShouldShutDown(request.wantShutDown());
            return Decision.inParts(fencing(changes, broker), answer);
        }
        if (request.wantShutDown()) {
            return shuttingDown(changes, broker, answer);
        }
        return Decision.unchanged(answer.setIsFenced(false));
    }

    private Decision<BrokerHeartbeatResponseData> whileFenced(
            PartitionChanges changes,
            BrokerImage broker,
            BrokerHeartbeatRequestData request,
            BrokerHeartbeatResponseData answer) {
        if (request.wantShutDown()) {
            sessions.end(broker.id());
            return Decision.unchanged(answer.setIsFenced(true).setShouldShutDown(true));
        }
        if (request.wantFence() || !answer.isCaughtUp()) {
            return Decision.unchanged(answer.setIsFenced(true));
        }
        LOG.info(
                "broker {} has caught up with its registration at offset {} and takes part",
                broker.id(),
                broker.epoch());
        List<MetadataRecord> records = new ArrayList<>();
        records.add(MetadataRecords.brokerState(broker, false, false));
        records.addAll(changes.with(broker.id()).all(each -> waitsFor(each, broker.id())));
        return Decision.inParts(records, answer.setIsFenced(false));
    }

    /**
     * Directories that do not work take no new partitions until the broker registers again, and replicas in them neither lead nor are in the ISR (KIP-858); first these
     * leave, as what is told again is done again. A sole replica stays the leader: nobody can take over, and clients are told that its storage fails.
     */
    private static List<MetadataRecord> withoutDirectories(
            PartitionChanges changes, BrokerImage broker, List<Uuid> offline) {
        List<Uuid> working = new ArrayList<>(broker.logDirs());
        if (!working.removeAll(offline)) {
            return List.of();
        }
        MetadataRecord told = MetadataRecords.broker(broker.withLogDirs(working));
        Draft draft = new Draft(changes.image());
        draft.add(List.of(told));
        List<MetadataRecord> records = new ArrayList<>(changes.in(draft.image())
                .all(each -> holds(each, broker.id()) && each.replicas().size() > 1));
        records.add(told);
        return records;
    }

    /** It may be this broker that is missing. */
    private static boolean waitsFor(PartitionImage partition, int broker) {
        return partition.leader() < 0 && partition.replicas().contains(broker);
    }

    /**
     * First it leads nothing and is in no ISR; then, when the others know, it may end. Where nobody can take over, that is as soon as nothing is led. Any first part of it may
     * be all that is committed, here or by an earlier controller: the next heartbeat goes on from what is true.
     */
    private Decision<BrokerHeartbeatResponseData> shuttingDown(
            PartitionChanges changes, BrokerImage broker, BrokerHeartbeatResponseData answer) {
        List<MetadataRecord> records =
                new ArrayList<>(changes.without(broker.id()).all(each -> holds(each, broker.id())));
        boolean known = broker.inControlledShutdown();
        if (!records.isEmpty()) {
            LOG.info("broker {} shuts down: {} partitions are taken from it", broker.id(), records.size());
            sessions.handsOver(broker.id());
        } else if ((!known && !sessions.hasHandedOver(broker.id()))
                || sessions.othersKnow(changes.image(), broker.id())) {
            LOG.info("broker {} leads nothing and may end", broker.id());
            sessions.end(broker.id());
            return Decision.inParts(
                    List.of(MetadataRecords.brokerState(broker, true, false)),
                    answer.setIsFenced(true).setShouldShutDown(true));
        }
        if (!known) {
            records.add(MetadataRecords.brokerState(broker, false, true));
        }
        return Decision.inParts(records, answer.setIsFenced(false));
    }

    private static boolean holds(PartitionImage partition, int broker) {
        return partition.leader() == broker || partition.isr().contains(broker);
    }

    /** Its process is gone for sure, as its host says: there is no session to wait for (L1). Nothing when another process has registered since. */
    Decision<Boolean> fence(PartitionChanges changes, int brokerId, long epoch) {
        BrokerImage broker = changes.image().broker(brokerId);
        if (broker == null || broker.epoch() != epoch || broker.fenced()) {
            return Decision.unchanged(false);
        }
        LOG.warn("broker {} is gone: it is fenced", brokerId);
        return Decision.inParts(fencing(changes, broker), true);
    }

    /** The answer is true when a broker was fenced: there may be more. */
    Decision<Boolean> fenceStale(PartitionChanges changes, long nowNanos) {
        sessions.now(nowNanos);
        BrokerImage broker = sessions.stale(changes.image());
        if (broker == null) {
            return Decision.unchanged(false);
        }
        LOG.warn("nothing was heard of broker {} for a whole session, or it is gone: it is fenced", broker.id());
        return Decision.inParts(fencing(changes, broker), true);
    }

    /** What is committed of it alone does no harm: the broker leads less, and is fenced by the next decision. */
    private List<MetadataRecord> fencing(PartitionChanges changes, BrokerImage broker) {
        sessions.end(broker.id());
        List<MetadataRecord> records =
                new ArrayList<>(changes.without(broker.id()).all(each -> holds(each, broker.id())));
        records.add(MetadataRecords.brokerState(broker, true, false));
        return records;
    }

    /** UnregisterBroker (KIP-746). Its replicas stay assigned to it: a reassignment moves them. */
    Decision<UnregisterBrokerResponseData> unregister(PartitionChanges changes, UnregisterBrokerRequestData request) {
        BrokerImage broker = changes.image().broker(request.brokerId());
        if (broker == null) {
            return Decision.unchanged(new UnregisterBrokerResponseData()
                    .setErrorCode(Errors.BROKER_ID_NOT_REGISTERED.code())
                    .setErrorMessage("Broker ID " + request.brokerId() + " is not currently registered"));
        }
        sessions.end(broker.id());
        List<MetadataRecord> records =
                new ArrayList<>(changes.without(broker.id()).all(each -> holds(each, broker.id())));
        records.add(MetadataRecords.brokerGone(broker));
        return Decision.inParts(records, new UnregisterBrokerResponseData().setErrorMessage(null));
    }
}
