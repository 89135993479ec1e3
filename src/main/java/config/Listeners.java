package config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes a {@link NodeConfig} of the listener, role and quorum keys and says all that is wrong with them. */
final class Listeners {

    private static final Pattern ADDRESS =
            Pattern.compile("([A-Za-z0-9_.-]+)://(?:\\[([0-9a-fA-F:.%]+)]|([^:/\\[\\]]*)):(\\d{1,5})/?");
    private static final List<String> PROTOCOLS = List.of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL");
    private static final String NOT_BUILT = " is not built yet; allowed: PLAINTEXT";
    private static final String FORM =
            "expected NAME://host:port, for example PLAINTEXT://127.0.0.1:9092 or PLAINTEXT://:9092";

    private final ConfigValues.Part values;
    private final ConfigProblems problems;

    Listeners(ConfigValues.Part values, ConfigProblems problems) {
        this.values = values;
        this.problems = problems;
    }

    /** Meaningless when problems were found. */
    NodeConfig read() {
        int nodeId = nodeId();
        roles();
        quorum(nodeId);
        List<String> controllerNames = upper(values.list("controller.listener.names"));
        Map<String, String> protocols = protocolMap();
        List<Listener> all = addresses("listeners", List.of("PLAINTEXT://127.0.0.1:9092"), protocols, controllerNames);
        List<Listener> clients = new ArrayList<>();
        List<Listener> controllers = new ArrayList<>();
        for (Listener listener : all) {
            (controllerNames.contains(listener.name()) ? controllers : clients).add(listener);
        }
        if (clients.isEmpty() && problems.none()) {
            problems.add("listeners", "no listener is left for clients: all are named in controller.listener.names");
        }
        List<Listener> advertised = advertised(clients, protocols, controllerNames);
        checkInterBroker(clients);
        return new NodeConfig(
                nodeId, List.copyOf(clients), advertised, List.copyOf(controllers), values.string("broker.rack"));
    }

    private int nodeId() {
        Integer id = values.given(Integer.class, "node.id");
        Integer old = values.given(Integer.class, "broker.id");
        if (id == null && old == null) {
            return 1;
        }
        if (id != null && old != null && old != -1 && !old.equals(id)) {
            problems.add("broker.id", "must be the same as node.id (" + id + "), or not given");
        }
        int chosen = id != null ? id : old;
        if (chosen < 0) {
            problems.add(id != null ? "node.id" : "broker.id", "must be 0 or more");
        }
        return chosen;
    }

    private void roles() {
        if (values.given(List.class, "process.roles") == null) {
            return;
        }
        List<String> roles = values.list("process.roles");
        if (roles.size() != 2 || !roles.contains("broker") || !roles.contains("controller")) {
            problems.add(
                    "process.roles",
                    "a node of one role needs a quorum of several nodes, which is not built yet; allowed: broker,controller");
        }
    }

    private void quorum(int nodeId) {
        List<String> voters = values.list("controller.quorum.voters");
        if (voters.size() > 1) {
            problems.add(
                    "controller.quorum.voters",
                    "a quorum of several voters is not built yet; allowed: this node alone, " + nodeId + "@host:port");
        } else if (voters.size() == 1) {
            Matcher voter = Pattern.compile("(\\d{1,10})@(.+):(\\d{1,5})").matcher(voters.get(0));
            if (!voter.matches()) {
                problems.add(
                        "controller.quorum.voters", "expected id@host:port, for example " + nodeId + "@localhost:9093");
            } else if (!voter.group(1).equals(Integer.toString(nodeId))) {
                problems.add(
                        "controller.quorum.voters",
                        "names another node than this one (node.id=" + nodeId + "); allowed: " + nodeId + "@host:port");
            }
        }
        if (values.list("controller.quorum.bootstrap.servers").size() > 1) {
            problems.add(
                    "controller.quorum.bootstrap.servers",
                    "a quorum of several controllers is not built yet; allowed: the one address of this node");
        }
    }

    private Map<String, String> protocolMap() {
        Map<String, String> map = new LinkedHashMap<>();
        for (String entry : values.string("listener.security.protocol.map").split(",", -1)) {
            if (entry.isBlank()) {
                continue;
            }
            String[] pair = entry.trim().split(":", -1);
            String protocol = pair.length == 2 ? pair[1].trim().toUpperCase(Locale.ROOT) : "";
            if (!PROTOCOLS.contains(protocol)) {
                problems.add(
                        "listener.security.protocol.map",
                        "entry '" + entry.trim() + "' is not NAME:PROTOCOL with one of " + PROTOCOLS);
            } else {
                map.put(pair[0].trim().toUpperCase(Locale.ROOT), protocol);
            }
        }
        return map;
    }

    private List<Listener> addresses(
            String key, List<String> usual, Map<String, String> protocols, List<String> controllerNames) {
        boolean isGiven = values.given(List.class, key) != null;
        List<String> entries = isGiven ? values.list(key) : usual;
        if (entries.isEmpty() && isGiven && key.equals("listeners")) {
            problems.add(key, "at least one address is needed; " + FORM);
        }
        List<Listener> listeners = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        for (String entry : entries) {
            Matcher address = ADDRESS.matcher(entry);
            int port = address.matches() ? Integer.parseInt(address.group(4)) : -1;
            if (port < 0 || port > 65535) {
                problems.add(key, "'" + entry + "' is not an address; " + FORM);
                continue;
            }
            String name = address.group(1).toUpperCase(Locale.ROOT);
            if (!names.add(name)) {
                problems.add(
                        key,
                        "listener " + name
                                + " is named twice; each needs a name of its own (listener.security.protocol.map)");
            }
            String host = address.group(2) != null ? address.group(2) : address.group(3);
            listeners.add(new Listener(
                    name, host.isEmpty() ? null : host, port, protocol(key, name, protocols, controllerNames)));
        }
        checkPorts(key, listeners);
        return listeners;
    }

    private void checkPorts(String key, List<Listener> listeners) {
        if (!key.equals("listeners")) {
            return;
        }
        Set<String> seen = new LinkedHashSet<>();
        for (Listener listener : listeners) {
            if (listener.port() != 0 && !seen.add(listener.host() + ":" + listener.port())) {
                problems.add(key, "port " + listener.port() + " is used by two listeners");
            }
        }
    }

    private String protocol(String key, String name, Map<String, String> protocols, List<String> controllerNames) {
        String protocol = protocols.get(name);
        boolean mapGiven = values.given(String.class, "listener.security.protocol.map") != null;
        boolean impliedPlain = protocol == null && !mapGiven && controllerNames.contains(name);
        if (impliedPlain || !key.equals("listeners")) {
            return "PLAINTEXT";
        }
        if (protocol == null) {
            problems.add(
                    key,
                    "listener " + name + " has no security protocol; add " + name
                            + ":PLAINTEXT to listener.security.protocol.map");
        } else if (!protocol.equals("PLAINTEXT")) {
            problems.add(key, "security protocol " + protocol + " of listener " + name + NOT_BUILT);
        }
        return "PLAINTEXT";
    }

    private List<Listener> advertised(
            List<Listener> clients, Map<String, String> protocols, List<String> controllerNames) {
        Map<String, Listener> told = new LinkedHashMap<>();
        for (Listener listener : addresses("advertised.listeners", List.of(), protocols, controllerNames)) {
            told.put(listener.name(), listener);
            if ("0.0.0.0".equals(listener.host()) || "::".equals(listener.host())) {
                problems.add(
                        "advertised.listeners",
                        listener.host() + " is no address that a client can reach; name a host");
            }
            boolean known = clients.stream().anyMatch(client -> client.name().equals(listener.name()));
            if (!known && !controllerNames.contains(listener.name())) {
                problems.add("advertised.listeners", "listener " + listener.name() + " is not in listeners");
            }
        }
        List<Listener> advertised = new ArrayList<>();
        for (Listener client : clients) {
            Listener own = told.get(client.name());
            advertised.add(own != null ? own : new Listener(client.name(), null, 0, client.securityProtocol()));
        }
        return List.copyOf(advertised);
    }

    /** Nodes talk to nobody yet; what is given must make sense all the same. */
    private void checkInterBroker(List<Listener> clients) {
        String name = values.string("inter.broker.listener.name");
        String protocol = values.given(String.class, "security.inter.broker.protocol");
        if (protocol != null && !protocol.equals("PLAINTEXT")) {
            problems.add("security.inter.broker.protocol", protocol + NOT_BUILT);
        }
        if (name == null) {
            return;
        }
        if (protocol != null) {
            problems.add("inter.broker.listener.name", "security.inter.broker.protocol must not be given beside it");
        }
        String wanted = name.toUpperCase(Locale.ROOT);
        if (clients.stream().noneMatch(client -> client.name().equals(wanted)) && problems.none()) {
            problems.add("inter.broker.listener.name", "is not one of the client listeners");
        }
    }

    private static List<String> upper(List<String> names) {
        return names.stream().map(name -> name.toUpperCase(Locale.ROOT)).toList();
    }
}
