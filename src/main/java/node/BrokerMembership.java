package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.OwnerId;
import common.Ports;
import common.Timers;
import config.BrokerConfig;
import config.Listener;
import controller.BootReport;
import controller.Controller;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import metadata.Features;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.Endpoint;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import protocol.PeerTags;

/**
 * This broker's place in its cluster (KIP-631; rules C1, C2): it registers, tells the active controller that it is alive and how far it has followed the metadata, takes part
 * once it has followed it past its own registration, and asks before it ends. Wherever the active controller is: it is called through its mailbox. On loop 0.
 */
final class BrokerMembership implements Suspicions {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerMembership.class);
    private static final OwnerId<Controller> CONTROLLER = new OwnerId<>(Controller.class, 0);

    private static final long REGISTRATION_CALL_MILLIS = 10_000;
    private static final long RETRY_MILLIS = 200;
    /** Between two questions whether this broker may end: it waits for what others do. */
    private static final long LEAVING_MILLIS = 100;
    /** Longest wait for others to take over. Kafka's five minutes outlast every service manager's patience. */
    private static final long MAX_LEAVING_MILLIS = 60_000;

    private final Ports ports;
    private final BrokerConfig config;
    private final Self self;
    private final Consumer<Failure> halt;
    private final long heartbeatMillis;
    private final List<Uuid> offline = new ArrayList<>();
    private final Set<Integer> suspects = new TreeSet<>();
    private long epoch = -1;
    private MetadataImage applied;
    private Callback<Void> joining;
    private Callback<Void> leaving;
    private long registeringNanos;
    private long leavingNanos;
    private long answeredNanos;
    private Errors refused = Errors.NONE;
    private Timers.Handle next;
    private Timers.Handle patience;
    private boolean beating;
    private boolean again;
    private boolean ended;

    /**
     * The process that registers.
     *
     * @param incarnation new for each process
     * @param logDirs ids of the directories that work, that of the metadata first
     * @param listeners as they are advertised; without a host: clients are told the address that they came to
     * @param cleanEpoch the broker epoch after whose clean end nothing was written, -1 for none (C3)
     */
    record Self(
            String clusterId,
            Uuid incarnation,
            List<Uuid> logDirs,
            List<Listener> listeners,
            long cleanEpoch,
            BootReport report) {}

    /** @param halt told when this broker cannot go on: another process has taken its id */
    BrokerMembership(Ports ports, BrokerConfig config, Self self, Consumer<Failure> halt) {
        this.ports = ports;
        this.config = config;
        this.self = self;
        this.halt = halt;
        long third = Math.max(1, config.controller().sessionMillis() / 3);
        this.heartbeatMillis = Math.min(config.membership().heartbeatMillis(), third);
    }

    /** Of this process's registration; -1 before. */
    long epoch() {
        return epoch;
    }

    /**
     * Registers, for as long as initial.broker.registration.timeout.ms allows; {@code done} gets the broker epoch. Heartbeats begin, but the broker does not take part
     * before an image is {@link #applied}.
     */
    void register(Callback<Long> done) {
        registeringNanos = now();
        tryToRegister(done);
    }

    private void tryToRegister(Callback<Long> done) {
        if (ended) {
            done.fail(FailureCode.SHUTTING_DOWN, "this node is stopping");
            return;
        }
        BrokerRegistrationRequestData request = registration();
        ports.mailboxes()
                .<Controller, BrokerRegistrationResponseData>call(
                        CONTROLLER,
                        (controller, reply) -> controller.registerBroker(request, self.report, reply),
                        REGISTRATION_CALL_MILLIS,
                        (answer, failure) -> registered(answer, failure, done));
    }

    private void registered(BrokerRegistrationResponseData answer, Failure failure, Callback<Long> done) {
        Errors error = failure == null ? Errors.forCode(answer.errorCode()) : Errors.NONE;
        if (failure == null && error == Errors.NONE) {
            epoch = answer.brokerEpoch();
            answeredNanos = now();
            next = ports.timers().after(heartbeatMillis, this::beat);
            done.succeed(epoch);
            return;
        }
        Failure why = failure != null ? failure : refusal(error);
        boolean late = now() - registeringNanos >= config.membership().registrationMillis() * 1_000_000L;
        if (late || (failure != null ? isFinal(failure) : error != Errors.DUPLICATE_BROKER_REGISTRATION)) {
            done.fail(why.code(), "broker " + id() + " could not register with the controller: " + why.message());
            return;
        }
        note(error, why);
        ports.timers().after(RETRY_MILLIS, () -> tryToRegister(done));
    }

    /** Said once for each kind of trouble. */
    private void note(Errors error, Failure why) {
        if (error != refused) {
            LOG.info("broker {} is not registered yet, and tries again: {}", id(), why.message());
            refused = error;
        }
    }

    private Failure refusal(Errors error) {
        String what = "it answers " + error.name();
        return Failure.of(
                FailureCode.INTERNAL,
                switch (error) {
                    case DUPLICATE_BROKER_REGISTRATION ->
                        "another process is registered as broker " + id()
                                + " and was heard of lately; if that is this broker's earlier process, its session ends within "
                                + "broker.session.timeout.ms, else give one of them another node.id";
                    case INCONSISTENT_CLUSTER_ID ->
                        "this node's log directories are of cluster " + self.clusterId
                                + ", the controller is of another one: correct controller.quorum.voters or"
                                + " controller.quorum.bootstrap.servers, or give this node empty log.dirs";
                    case UNSUPPORTED_VERSION ->
                        what + ": this version does not support a feature level of the cluster; install a newer one";
                    case INVALID_REGISTRATION ->
                        what + ": one of log.dirs is a copy of another broker's, or a listener is not allowed; the"
                                + " controller's log has more";
                    default -> what;
                });
    }

    /** No repeat helps: the metadata cannot be written here, or this node stops. */
    static boolean isFinal(Failure failure) {
        return switch (failure.code()) {
            case STORAGE_ERROR, DISK_FULL, SYNC_FAILED, SHUTTING_DOWN -> true;
            default -> false;
        };
    }

    private BrokerRegistrationRequestData registration() {
        BrokerRegistrationRequestData request = new BrokerRegistrationRequestData()
                .setBrokerId(id())
                .setClusterId(self.clusterId)
                .setIncarnationId(self.incarnation)
                .setRack(config.node().rack())
                .setLogDirs(self.logDirs)
                .setPreviousBrokerEpoch(self.cleanEpoch);
        for (Listener each : self.listeners) {
            request.listeners()
                    .add(new BrokerRegistrationRequestData.Listener()
                            .setName(each.name())
                            .setHost(each.host() == null ? "" : each.host())
                            .setPort(each.port())
                            .setSecurityProtocol((short) Endpoint.SECURITY_PROTOCOLS.indexOf(each.securityProtocol())));
        }
        Features.supported()
                .forEach((name, range) -> request.features()
                        .add(new BrokerRegistrationRequestData.Feature()
                                .setName(name)
                                .setMinSupportedVersion(range.min())
                                .setMaxSupportedVersion(range.max())));
        return request;
    }

    /** {@code done} when the broker takes part, and all of this node has applied an image that says so. Once, after {@link #register}. */
    void join(Callback<Void> done) {
        joining = done;
        look();
    }

    /** Every owner of this node has applied the image. */
    void applied(MetadataImage image) {
        applied = image;
        look();
    }

    private void look() {
        if (applied == null || epoch < 0 || ended) {
            return;
        }
        BrokerImage me = applied.broker(id());
        boolean takesPart = me != null && me.epoch() == epoch && !me.fenced();
        if (joining != null && takesPart) {
            Callback<Void> done = joining;
            joining = null;
            done.succeed(null);
        } else if (joining != null && applied.version() > epoch) {
            beat();
        }
        if (applied.brokers().stream().anyMatch(BrokerImage::inControlledShutdown)) {
            // Whoever leaves waits until all others know.
            beat();
        }
    }

    /** A log directory does not work any more: told with every heartbeat, so that it takes no new partitions (KIP-858). */
    void offline(Uuid directory) {
        if (!offline.contains(directory)) {
            offline.add(directory);
        }
        beat();
    }

    /** Told with a heartbeat at once, and again until one is answered. */
    @Override
    public void suspect(int nodeId) {
        BrokerImage broker = applied == null ? null : applied.broker(nodeId);
        if (broker != null && !broker.fenced() && nodeId != id() && suspects.add(nodeId)) {
            beat();
        }
    }

    /** A heartbeat at once, or as soon as the one under way is answered. */
    private void beat() {
        if (epoch < 0 || ended) {
            return;
        }
        if (beating) {
            again = true;
            return;
        }
        beating = true;
        again = false;
        next.cancel();
        BrokerHeartbeatRequestData request = new BrokerHeartbeatRequestData()
                .setBrokerId(id())
                .setBrokerEpoch(epoch)
                .setCurrentMetadataOffset(applied == null ? -1 : applied.version() - 1)
                .setWantShutDown(leaving != null)
                .setOfflineLogDirs(List.copyOf(offline));
        List<Integer> told = List.copyOf(suspects);
        PeerTags.putSuspects(request, told);
        ports.mailboxes()
                .<Controller, BrokerHeartbeatResponseData>call(
                        CONTROLLER,
                        (controller, reply) -> controller.heartbeat(request, reply),
                        config.controller().sessionMillis(),
                        (answer, failure) -> {
                            if (failure == null && answer.errorCode() == Errors.NONE.code()) {
                                told.forEach(suspects::remove);
                            }
                            answered(request, answer, failure);
                        });
    }

    private void answered(BrokerHeartbeatRequestData asked, BrokerHeartbeatResponseData answer, Failure failure) {
        beating = false;
        if (ended) {
            return;
        }
        if (failure != null) {
            failed(failure);
            return;
        }
        answeredNanos = now();
        Errors error = Errors.forCode(answer.errorCode());
        if (error == Errors.STALE_BROKER_EPOCH) {
            stale();
            return;
        }
        if (error != Errors.NONE) {
            failed(Failure.of(FailureCode.INTERNAL, "it answers " + error.name()));
            return;
        }
        if (asked.wantShutDown() && answer.shouldShutDown()) {
            left(null);
            return;
        }
        if (again) {
            beat();
        } else {
            next = ports.timers().after(leaving != null ? LEAVING_MILLIS : heartbeatMillis, this::beat);
        }
    }

    private void failed(Failure why) {
        boolean silent = now() - Math.max(answeredNanos, leavingNanos)
                >= config.controller().sessionMillis() * 1_000_000L;
        if (leaving != null && (silent || isFinal(why))) {
            left("the controller cannot be asked: " + why.message());
            return;
        }
        LOG.debug("a heartbeat was not taken, another follows: {}", why.message());
        next = ports.timers().after(Math.min(heartbeatMillis, RETRY_MILLIS), this::beat);
    }

    /** The controller knows this broker under another epoch, or not at all. */
    private void stale() {
        BrokerImage me = applied == null ? null : applied.broker(id());
        if (leaving != null) {
            left("the controller knows this process no more");
        } else if (me != null && me.epoch() > epoch && !me.incarnationId().equals(self.incarnation)) {
            ended = true;
            halt.accept(Failure.of(
                    FailureCode.INTERNAL,
                    "another process has registered as broker " + id()
                            + ", and this one may not go on: give one of them another node.id"));
        } else if (applied != null && applied.version() > epoch && me == null) {
            LOG.warn("broker {} was unregistered while it runs: it registers again", id());
            registeringNanos = now();
            epoch = -1;
            tryToRegister((registered, failure) -> {
                if (failure != null) {
                    halt.accept(failure);
                }
            });
        } else {
            next = ports.timers().after(heartbeatMillis, this::beat);
        }
    }

    /**
     * A controlled shutdown: {@code done}, never a failure, when others lead what this broker led, when nobody can, or when it took too long. The broker takes no part any
     * more, and no heartbeats follow. The doors are still open: clients are told who leads now. Where no other broker takes part nobody is asked.
     */
    void leave(Callback<Void> done) {
        if (ended || epoch < 0 || !config.membership().controlledShutdown() || !othersTakePart()) {
            end();
            done.succeed(null);
            return;
        }
        leaving = done;
        leavingNanos = now();
        patience = ports.timers().after(MAX_LEAVING_MILLIS, () -> left("others did not take over in time"));
        beat();
    }

    private boolean othersTakePart() {
        return applied != null
                && applied.brokers().stream()
                        .anyMatch(each -> each.id() != id() && !each.fenced() && !each.inControlledShutdown());
    }

    /** @param problem null: as it should be */
    private void left(String problem) {
        if (problem != null) {
            LOG.warn("broker {} ends without having handed over all that it led: {}", id(), problem);
        }
        Callback<Void> done = leaving;
        leaving = null;
        patience.cancel();
        end();
        done.succeed(null);
    }

    private void end() {
        ended = true;
        if (next != null) {
            next.cancel();
        }
    }

    private int id() {
        return config.node().nodeId();
    }

    private long now() {
        return ports.clock().monotonicNanos();
    }
}
