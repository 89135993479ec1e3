package services;

/** Broker configs are known and checked on the broker itself, so a request that names another one came to the wrong node. */
final class NodeName {
    private NodeName() {}

    /** Why {@code name} does not name this node; null when it does. */
    static String problem(String name, int nodeId) {
        if (name.isEmpty()) {
            return "a node id is needed; this node's is " + nodeId;
        }
        try {
            int id = Integer.parseInt(name);
            return id == nodeId ? null : "this is node " + nodeId + ", the request is for node " + name;
        } catch (NumberFormatException e) {
            return "node id " + name + " is not a number; this node's is " + nodeId;
        }
    }
}
