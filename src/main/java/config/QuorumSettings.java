package config;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes a {@link QuorumConfig} and says what is wrong with the keys of the quorum, by themselves and beside the node's roles and listeners. */
final class QuorumSettings {
    private static final String VOTERS = "controller.quorum.voters";
    private static final String BOOTSTRAP = "controller.quorum.bootstrap.servers";
    private static final String HOST_PORT = "(?:\\[([0-9a-fA-F:.%]+)]|([^:/@\\[\\]\\s]+)):(\\d{1,5})";
    private static final Pattern VOTER = Pattern.compile("(\\d{1,10})@" + HOST_PORT);
    private static final Pattern SERVER = Pattern.compile(HOST_PORT);
    private static final Pattern CLUSTER_ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final List<String> LOOPBACK = List.of("localhost", "127.0.0.1", "::1");
    private static final int LAST_PORT = 65_535;

    private final ConfigValues.Part values;
    private final ConfigProblems problems;
    private final NodeConfig node;

    QuorumSettings(ConfigValues.Part values, ConfigProblems problems, NodeConfig node) {
        this.values = values;
        this.problems = problems;
        this.node = node;
    }

    /** Meaningless when problems were found. */
    QuorumConfig read() {
        String clusterId = values.string("cluster.id");
        if (clusterId != null && !CLUSTER_ID.matcher(clusterId).matches()) {
            problems.add(
                    "cluster.id",
                    "allowed: 1 to 64 letters, digits, - and _; 'kafka-storage random-uuid' makes one in Kafka's form");
        }
        List<QuorumConfig.Voter> voters = voters();
        List<QuorumConfig.Server> bootstrap = bootstrap();
        boolean soundSoFar = problems.none();
        boolean alone = voters.stream().allMatch(each -> each.id() == node.nodeId())
                && bootstrap.stream().allMatch(this::isThisNode);
        if (soundSoFar) {
            checkRoles(voters, bootstrap, alone);
        }
        return new QuorumConfig(
                clusterId,
                voters,
                bootstrap,
                values.bool("controller.quorum.auto.join.enable"),
                node.controller() && alone,
                timeouts(),
                hints());
    }

    private QuorumConfig.Hints hints() {
        return new QuorumConfig.Hints(values.bool("cluster.hints.enable"), values.int32("cluster.hints.port.offset"));
    }

    private QuorumConfig.Timeouts timeouts() {
        return new QuorumConfig.Timeouts(
                positive("controller.quorum.election.timeout.ms"),
                positive("controller.quorum.fetch.timeout.ms"),
                values.int32("controller.quorum.election.backoff.max.ms"),
                positive("controller.quorum.request.timeout.ms"),
                values.int32("controller.quorum.retry.backoff.ms"));
    }

    /** Kafka takes 0, and then spins. */
    private int positive(String key) {
        int millis = values.int32(key);
        if (millis == 0) {
            problems.add(key, "0 would leave no time for an answer; allowed: 1 or more");
        }
        return millis;
    }

    private List<QuorumConfig.Voter> voters() {
        List<QuorumConfig.Voter> voters = new ArrayList<>();
        Set<String> ids = new LinkedHashSet<>();
        for (String entry : values.list(VOTERS)) {
            Matcher voter = VOTER.matcher(entry.trim());
            long id = voter.matches() ? Long.parseLong(voter.group(1)) : -1;
            if (id < 0 || id > Integer.MAX_VALUE || !isPort(voter.group(4))) {
                problems.add(
                        VOTERS,
                        "'" + entry.trim() + "' is no voter: expected id@host:port, for example " + node.nodeId()
                                + "@localhost:9093");
            } else if (!ids.add(voter.group(1))) {
                problems.add(VOTERS, "node " + id + " is named twice; each voter stands there once");
            } else {
                voters.add(new QuorumConfig.Voter((int) id, host(voter, 2), Integer.parseInt(voter.group(4))));
            }
        }
        return List.copyOf(voters);
    }

    private List<QuorumConfig.Server> bootstrap() {
        List<QuorumConfig.Server> servers = new ArrayList<>();
        for (String entry : values.list(BOOTSTRAP)) {
            Matcher server = SERVER.matcher(entry.trim());
            if (!server.matches() || !isPort(server.group(3))) {
                problems.add(
                        BOOTSTRAP,
                        "'" + entry.trim() + "' is not an address: expected host:port, for example localhost:9093");
            } else {
                servers.add(new QuorumConfig.Server(host(server, 1), Integer.parseInt(server.group(3))));
            }
        }
        return List.copyOf(servers);
    }

    private static boolean isPort(String digits) {
        int port = Integer.parseInt(digits);
        return port > 0 && port <= LAST_PORT;
    }

    private static String host(Matcher address, int group) {
        return address.group(group) != null ? address.group(group) : address.group(group + 1);
    }

    /** Said by what this node advertises, or by an address that only this machine has. */
    private boolean isThisNode(QuorumConfig.Server server) {
        for (int i = 0; i < node.controllerListeners().size(); i++) {
            Listener advertised = node.advertisedControllers().get(i);
            Listener bound = node.controllerListeners().get(i);
            boolean everywhere = bound.host() == null || "0.0.0.0".equals(bound.host()) || "::".equals(bound.host());
            boolean named = server.host().equals(advertised.host()) && server.port() == advertised.port();
            boolean local = (everywhere || LOOPBACK.contains(bound.host())) && LOOPBACK.contains(server.host());
            if (named
                    || (server.port() == bound.port() && (local || server.host().equals(bound.host())))) {
                return true;
            }
        }
        return false;
    }

    private void checkRoles(List<QuorumConfig.Voter> voters, List<QuorumConfig.Server> bootstrap, boolean alone) {
        boolean named = voters.stream().anyMatch(each -> each.id() == node.nodeId());
        boolean found = !voters.isEmpty() || !bootstrap.isEmpty();
        if (!found && !(node.broker() && node.controller())) {
            problems.add(
                    BOOTSTRAP,
                    "a node of one role must be told where the controllers are: name them here (host:port), or in "
                            + VOTERS + " (id@host:port)");
        } else if (!voters.isEmpty() && node.controller() && !named) {
            problems.add(
                    VOTERS,
                    "this controller (node.id=" + node.nodeId() + ") is not among the voters; add " + node.nodeId()
                            + "@host:port, or give " + BOOTSTRAP
                            + " instead and add the node with kafka-metadata-quorum add-controller");
        } else if (!node.controller() && named) {
            problems.add(
                    VOTERS,
                    "node " + node.nodeId()
                            + " is this one, which is a broker only; name controllers, or set process.roles=broker,controller");
        } else if (node.controller() && !alone && node.controllerListeners().isEmpty()) {
            problems.add(
                    "controller.listener.names",
                    "the other nodes of the quorum must reach this controller: add an address to listeners, for example"
                            + " CONTROLLER://:9093, and name it here");
        }
    }
}
