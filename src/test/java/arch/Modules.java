package arch;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The top-level packages and which of them each may use: section "Who may know whom" of ARCHITECTURE.md. */
final class Modules {

    private static final String PLANTED = "arch.planted.";
    private static final String GENERATED = "highwater.";
    private static final List<String> FOR_ALL = List.of("common", "config");

    private final Map<String, List<String>> allowed = new LinkedHashMap<>();
    private final Map<String, List<String>> valuesOnly = new LinkedHashMap<>();

    Modules() {
        // What a log or a replica answers is a record of its own package; a second form of it per door would say
        // nothing new.
        valuesOnly.put("protocol", List.of("replication", "storage", "controller", "group", "transaction"));
        valuesOnly.put("edge", List.of("replication", "storage", "controller", "group", "transaction"));
        valuesOnly.put("coordinator", List.of("storage"));
        allowed.put("common", List.of());
        allowed.put("config", List.of());
        allowed.put("records", List.of());
        allowed.put("raft", List.of());
        allowed.put("storage", List.of("records"));
        allowed.put("metadata", List.of("records"));
        allowed.put("security", List.of("metadata"));
        allowed.put("replication", List.of("storage", "metadata", "records"));
        allowed.put("coordinator", List.of("metadata", "records"));
        allowed.put("controller", List.of("raft", "metadata", "records"));
        allowed.put("group", List.of("coordinator", "metadata", "records"));
        allowed.put("transaction", List.of("coordinator", "metadata", "records"));
        allowed.put(
                "services",
                List.of(
                        "group",
                        "transaction",
                        "coordinator",
                        "replication",
                        "storage",
                        "controller",
                        "security",
                        "metadata",
                        "records"));
        allowed.put("protocol", List.of("services", "security", "metadata", "records"));
        allowed.put("edge", List.of("services", "security", "metadata", "records"));
        allowed.put("cli", List.of());
        List<String> below = allowed.keySet().stream()
                .filter(module -> !module.equals("cli"))
                .toList();
        allowed.put("node", below);
        allowed.put("verticles", joined(below, List.of("node")));
    }

    /** The module of a class: its first package, or for planted and generated classes the one they stand for. */
    static Optional<String> of(JavaClass javaClass) {
        String name = javaClass.getPackageName();
        for (String prefix : List.of(PLANTED, GENERATED)) {
            if (name.startsWith(prefix)) {
                name = name.substring(prefix.length());
            }
        }
        int dot = name.indexOf('.');
        String first = dot < 0 ? name : name.substring(0, dot);
        return first.isEmpty() ? Optional.empty() : Optional.of(first);
    }

    /** Whether the class is one of ours, as opposed to a library's. */
    boolean isOurs(JavaClass javaClass) {
        String name = javaClass.getPackageName();
        return name.startsWith(PLANTED) || name.startsWith(GENERATED) || allowed.containsKey(firstOf(name));
    }

    boolean knows(String module) {
        return allowed.containsKey(module);
    }

    /** Whether {@code from} may use a class of {@code to}; {@code value} says that it is a record or an enum. */
    boolean allows(String from, String to, boolean value) {
        if (from.equals(to) || allowed.get(from).contains(to)) {
            return true;
        }
        if (value && valuesOnly.getOrDefault(from, List.of()).contains(to)) {
            return true;
        }
        // common stands below everything, config next to it.
        return FOR_ALL.contains(to) && !from.equals("common");
    }

    /** Who knows whom in any way. */
    Map<String, List<String>> table() {
        Map<String, List<String>> table = new LinkedHashMap<>(allowed);
        valuesOnly.forEach((from, to) -> table.merge(from, to, Modules::joined));
        return table;
    }

    private static String firstOf(String packageName) {
        int dot = packageName.indexOf('.');
        return dot < 0 ? packageName : packageName.substring(0, dot);
    }

    private static List<String> joined(List<String> some, List<String> more) {
        List<String> all = new ArrayList<>(some);
        all.addAll(more);
        return List.copyOf(all);
    }
}
