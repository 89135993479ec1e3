package config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Collects all that is wrong with a configuration, so that one attempt shows everything. */
final class ConfigProblems {

    private final Map<String, String> properties;
    private final List<ConfigProblem> found = new ArrayList<>();

    ConfigProblems(Map<String, String> properties) {
        this.properties = properties;
    }

    void add(String key, String message) {
        ConfigKey known = BrokerKeys.get(key);
        String value = properties.get(key);
        found.add(new ConfigProblem(key, value != null && secret(key, known) ? "[hidden]" : value, message));
    }

    /** Also keys that are unknown may hold secrets by their name. */
    private static boolean secret(String key, ConfigKey known) {
        return known != null
                ? known.sensitive()
                : key.contains("password") || key.contains("secret") || key.contains("jaas");
    }

    List<ConfigProblem> list() {
        return List.copyOf(found);
    }

    boolean none() {
        return found.isEmpty();
    }
}
