package sim;

import java.util.List;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/** A connection to the coordinator of a group or of a transactional id: asks for it on each new connection, and again when it is said to have moved. */
final class SimCoordination {
    private final SimNet net;
    private final SimRandom random;
    private final CoordinatorType type;
    private final String group;
    private final Runnable onFound;
    private final SimLink link;
    private boolean found;
    private boolean asking;

    /** @param onFound told each time that the coordinator is known on a new connection */
    SimCoordination(SimNet net, SimRandom random, String clientId, String group, Runnable onFound) {
        this(net, random, clientId, CoordinatorType.GROUP, group, onFound);
    }

    SimCoordination(
            SimNet net, SimRandom random, String clientId, CoordinatorType type, String group, Runnable onFound) {
        this.net = net;
        this.random = random;
        this.type = type;
        this.group = group;
        this.onFound = onFound;
        this.link = new SimLink(net, random, clientId, this::connected);
    }

    SimLink link() {
        return link;
    }

    /** Requests may be sent. */
    boolean ready() {
        return link.up() && found;
    }

    void start() {
        link.connect();
    }

    void stop() {
        link.stop();
    }

    private void connected() {
        found = false;
        asking = false;
        ask();
    }

    /** The coordinator is not there, or not ready. */
    void lost() {
        found = false;
        ask();
    }

    private void ask() {
        if (asking || !link.up()) {
            return;
        }
        asking = true;
        short version = (short) random.between(type.id(), ApiKeys.FIND_COORDINATOR.latestVersion(false));
        FindCoordinatorRequestData request = new FindCoordinatorRequestData().setKeyType(type.id());
        if (version >= 4) {
            request.setCoordinatorKeys(List.of(group));
        } else {
            request.setKey(group);
        }
        link.send(ApiKeys.FIND_COORDINATOR, version, request, 10_000, true, answer -> {
            asking = false;
            if (answer != null) {
                answered(error(answer, version), node(answer, version));
            }
        });
    }

    private static Errors error(ApiMessage answer, short version) {
        FindCoordinatorResponseData data = (FindCoordinatorResponseData) answer;
        return Errors.forCode(version >= 4 ? data.coordinators().get(0).errorCode() : data.errorCode());
    }

    private static int node(ApiMessage answer, short version) {
        FindCoordinatorResponseData data = (FindCoordinatorResponseData) answer;
        return version >= 4 ? data.coordinators().get(0).nodeId() : data.nodeId();
    }

    private void answered(Errors error, int node) {
        net.count("find." + error);
        if (error == Errors.NONE && net.nodes() > 1 && link.node() != SimMachine.ofNode(node)) {
            // Asked once more there.
            link.moveTo(SimMachine.ofNode(node));
        } else if (error == Errors.NONE) {
            found = true;
            onFound.run();
        } else if (error == Errors.COORDINATOR_NOT_AVAILABLE) {
            net.scheduler().after(random.between(20, 200) * SimScheduler.MILLI, null, "find-coordinator", this::ask);
        } else {
            throw new RuleBroken("V3 errors", error + " for FindCoordinator of " + group);
        }
    }

    /** Whether an error says no more than to try again later; looks for the coordinator anew if so. */
    boolean later(Errors error) {
        switch (error) {
            case NOT_COORDINATOR -> {
                lost();
                return true;
            }
            case COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS, REQUEST_TIMED_OUT -> {
                return true;
            }
            default -> {
                return false;
            }
        }
    }
}
