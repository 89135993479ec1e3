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

/** Makes a {@link NodeConfig} of the listener and role keys and says all that is wrong with them. */
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
        List<String> roles = values.list("process.roles");
        boolean broker = roles.contains("broker");
        boolean controller = roles.contains("controller");
        List<String> controllerNames = upper(values.list("controller.listener.names"));
        Map<String, String> protocols = protocolMap();
        List<String> usual = broker ? List.of("PLAINTEXT://127.0.0.1:9092") : List.of();
        List<Listener> all = addresses("listeners", usual, protocols, controllerNames);
        List<Listener> clients = new ArrayList<>();
        List<Listener> controllers = new ArrayList<>();
        for (Listener listener : all) {
            (controllerNames.contains(listener.name()) ? controllers : clients).add(listener);
        }
        if (problems.none()) {
            checkRoles(roles, clients, controllers, controllerNames);
        }
        Map<String, Listener> told = told(all, protocols, controllerNames);
        return new NodeConfig(
                nodeId,
                broker,
                controller,
                List.copyOf(clients),
                advertised(clients, told),
                broker ? interBroker(clients) : null,
                controllerNames,
                List.copyOf(controllers),
                advertised(controllers, told),
                values.string("broker.rack"));
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

    private void checkRoles(
            List<String> roles, List<Listener> clients, List<Listener> controllers, List<String> controllerNames) {
        boolean broker = roles.contains("broker");
        if (roles.isEmpty()) {
            problems.add("process.roles", "a node has one role at least; allowed: broker, controller, or both");
        } else if (broker && clients.isEmpty()) {
            problems.add("listeners", "no listener is left for clients: all are named in controller.listener.names");
        } else if (!broker && !clients.isEmpty()) {
            problems.add(
                    "listeners",
                    "listener " + clients.get(0).name() + " is for clients, whom a controller alone does not serve;"
                            + " name it in controller.listener.names, take it out, or set"
                            + " process.roles=broker,controller");
        } else if (!broker && controllers.isEmpty()) {
            problems.add(
                    "listeners",
                    "a controller alone needs an address for the other nodes, for example CONTROLLER://:9093, named in"
                            + " controller.listener.names");
        } else if (!roles.contains("controller") && !controllers.isEmpty()) {
            problems.add(
                    "listeners",
                    "listener " + controllers.get(0).name()
                            + " is named in controller.listener.names, but this node is a"
                            + " broker only; take it out of listeners, or set process.roles=broker,controller");
        } else if (!roles.contains("controller") && controllerNames.isEmpty()) {
            problems.add(
                    "controller.listener.names",
                    "a broker alone must know by which listener it reaches the controllers, for example CONTROLLER");
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

    /** What is given in advertised.listeners, by name. */
    private Map<String, Listener> told(
            List<Listener> all, Map<String, String> protocols, List<String> controllerNames) {
        Map<String, Listener> told = new LinkedHashMap<>();
        for (Listener listener : addresses("advertised.listeners", List.of(), protocols, controllerNames)) {
            told.put(listener.name(), listener);
            if ("0.0.0.0".equals(listener.host()) || "::".equals(listener.host())) {
                problems.add(
                        "advertised.listeners",
                        listener.host() + " is no address that a client can reach; name a host");
            }
            boolean known = all.stream().anyMatch(each -> each.name().equals(listener.name()));
            if (!known && !controllerNames.contains(listener.name())) {
                problems.add("advertised.listeners", "listener " + listener.name() + " is not in listeners");
            }
        }
        return told;
    }

    private static List<Listener> advertised(List<Listener> listeners, Map<String, Listener> told) {
        List<Listener> advertised = new ArrayList<>();
        for (Listener each : listeners) {
            Listener own = told.get(each.name());
            advertised.add(own != null ? own : new Listener(each.name(), null, 0, each.securityProtocol()));
        }
        return List.copyOf(advertised);
    }

    /** The one named; else the one with the name of security.inter.broker.protocol, as in Kafka; else the first, where Kafka refuses to start. */
    private String interBroker(List<Listener> clients) {
        String name = values.string("inter.broker.listener.name");
        String protocol = values.given(String.class, "security.inter.broker.protocol");
        if (protocol != null && !protocol.equals("PLAINTEXT")) {
            problems.add("security.inter.broker.protocol", protocol + NOT_BUILT);
        }
        if (name != null && protocol != null) {
            problems.add("inter.broker.listener.name", "security.inter.broker.protocol must not be given beside it");
        }
        String wanted = name == null ? "PLAINTEXT" : name.toUpperCase(Locale.ROOT);
        boolean known = clients.stream().anyMatch(client -> client.name().equals(wanted));
        if (name != null && !known && problems.none()) {
            problems.add(
                    "inter.broker.listener.name",
                    "is not one of the client listeners; allowed: "
                            + clients.stream().map(Listener::name).toList());
        }
        return known || clients.isEmpty() ? wanted : clients.get(0).name();
    }

    private static List<String> upper(List<String> names) {
        return names.stream().map(name -> name.toUpperCase(Locale.ROOT)).toList();
    }
}
