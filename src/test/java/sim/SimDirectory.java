package sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A directory: names as they are, durable names, and the name changes in between. Values are SimFile or SimDirectory. */
final class SimDirectory {
    private final TreeMap<String, Object> names = new TreeMap<>();
    private final TreeMap<String, Object> durable = new TreeMap<>();
    private final List<Change> unsynced = new ArrayList<>();

    /** {@code gone} (or null) disappears and {@code made} (or null) becomes {@code node}, both or neither. */
    private record Change(String gone, String made, Object node) {
        void apply(Map<String, Object> target) {
            if (gone != null) {
                target.remove(gone);
            }
            if (made != null) {
                target.put(made, node);
            }
        }
    }

    TreeMap<String, Object> names() {
        return names;
    }

    TreeMap<String, Object> durableNames() {
        return durable;
    }

    boolean hasUnsynced() {
        return !unsynced.isEmpty();
    }

    void link(String name, Object node) {
        change(new Change(null, name, node));
    }

    void unlink(String name) {
        change(new Change(name, null, null));
    }

    void rename(String from, String to) {
        change(new Change(from, to, names.get(from)));
    }

    private void change(Change change) {
        change.apply(names);
        unsynced.add(change);
    }

    void sync() {
        for (Change change : unsynced) {
            change.apply(durable);
        }
        unsynced.clear();
    }

    /** Name changes survive all, none, the first few, or any of them. */
    void powerCut(SimRandom random) {
        int mode = random.below(4);
        int first = unsynced.isEmpty() ? 0 : random.below(unsynced.size() + 1);
        for (int i = 0; i < unsynced.size(); i++) {
            boolean kept = switch (mode) {
                case 0 -> true;
                case 1 -> false;
                case 2 -> i < first;
                default -> random.chance(0.5);
            };
            if (kept) {
                unsynced.get(i).apply(durable);
            }
        }
        unsynced.clear();
        names.clear();
        names.putAll(durable);
        for (Object node : names.values()) {
            if (node instanceof SimDirectory directory) {
                directory.powerCut(random);
            } else {
                ((SimFile) node).powerCut(random);
            }
        }
    }

    void kill() {
        for (Object node : names.values()) {
            if (node instanceof SimDirectory directory) {
                directory.kill();
            } else {
                ((SimFile) node).evictLost();
            }
        }
    }

    long bytes() {
        long sum = 0;
        for (Object node : names.values()) {
            sum += node instanceof SimDirectory directory ? directory.bytes() : ((SimFile) node).size();
        }
        return sum;
    }

    void tree(String prefix, List<String> into) {
        for (Map.Entry<String, Object> entry : names.entrySet()) {
            String path = prefix.isEmpty() ? entry.getKey() : prefix + "/" + entry.getKey();
            if (entry.getValue() instanceof SimDirectory directory) {
                into.add(path + "/");
                directory.tree(path, into);
            } else {
                into.add(path + " " + ((SimFile) entry.getValue()).size());
            }
        }
    }

    SimDirectory copy(Map<Object, Object> copies) {
        SimDirectory copy = new SimDirectory();
        copies.put(this, copy);
        names.forEach((name, node) -> copy.names.put(name, copyOf(node, copies)));
        durable.forEach((name, node) -> copy.durable.put(name, copyOf(node, copies)));
        for (Change change : unsynced) {
            Object node = change.node == null ? null : copyOf(change.node, copies);
            copy.unsynced.add(new Change(change.gone, change.made, node));
        }
        return copy;
    }

    private static Object copyOf(Object node, Map<Object, Object> copies) {
        Object known = copies.get(node);
        if (known != null) {
            return known;
        }
        if (node instanceof SimDirectory directory) {
            return directory.copy(copies);
        }
        SimFile copy = ((SimFile) node).copy();
        copies.put(node, copy);
        return copy;
    }
}
