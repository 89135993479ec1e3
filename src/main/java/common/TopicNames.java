package common;

import java.util.List;

/** What a topic may be called: Kafka's rule, since the name is a directory's name and part of metrics' names. */
public final class TopicNames {
    /** So that a partition's directory, with its suffix while it is deleted, stays within the 255 bytes of a file name. */
    public static final int MAX_LENGTH = 249;

    /** The metadata log's own name; never a topic that a client can make. */
    public static final String CLUSTER_METADATA = "__cluster_metadata";

    private static final List<String> INTERNAL =
            List.of("__consumer_offsets", "__transaction_state", "__share_group_state");

    private TopicNames() {}

    /** Topics that the broker makes for itself. */
    public static boolean isInternal(String name) {
        return INTERNAL.contains(name);
    }

    /** Names that do not come into being because somebody asks for them. */
    public static boolean isReserved(String name) {
        return name.equals(CLUSTER_METADATA) || isInternal(name);
    }

    /** Why {@code name} is not allowed, in words for people; null when it is. */
    public static String problem(String name) {
        if (name.isEmpty()) {
            return "a topic needs a name";
        }
        if (name.equals(".") || name.equals("..")) {
            return "a topic cannot be named '.' or '..'";
        }
        if (name.length() > MAX_LENGTH) {
            return "a topic's name has at most " + MAX_LENGTH + " characters, this one has " + name.length();
        }
        for (int i = 0; i < name.length(); i++) {
            if (!isAllowed(name.charAt(i))) {
                return "topic name '" + name + "' has a character other than ASCII letters, digits, '.', '_' and '-'";
            }
        }
        return null;
    }

    /** True if the name has a character that metrics' names cannot tell from another one. */
    public static boolean mayCollide(String name) {
        return name.indexOf('.') >= 0 || name.indexOf('_') >= 0;
    }

    /** Names with equal keys cannot both exist: '.' and '_' become the same in metrics' names. */
    public static String collisionKey(String name) {
        return name.replace('.', '_');
    }

    private static boolean isAllowed(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '.'
                || c == '_'
                || c == '-';
    }
}
