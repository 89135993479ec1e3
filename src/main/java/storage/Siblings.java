package storage;

import java.util.LinkedHashMap;

/**
 * For each topic of late a partition that has a directory: the next partition of the topic links that one's partition.metadata instead of making a file
 * of its own. Making files is what a new partition costs. Bounded.
 */
final class Siblings {

    private static final int TOPICS = 256;

    private final LinkedHashMap<String, String> directories = new LinkedHashMap<>(16, 0.75f, true);

    /** A directory of another partition of the topic, or null. It may be gone: then linking fails. */
    String of(LogIdentity log) {
        return directories.get(log.topicId());
    }

    void made(LogIdentity log) {
        directories.putIfAbsent(log.topicId(), log.directory());
        if (directories.size() > TOPICS) {
            directories.remove(directories.keySet().iterator().next());
        }
    }

    void gone(LogIdentity log) {
        directories.remove(log.topicId(), log.directory());
    }
}
