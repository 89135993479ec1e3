package config;

import java.util.List;

/** Keys of {@link ReplicationConfig}. */
final class ReplicationKeys {

    private ReplicationKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(ReplicationConfig.class);
        keys.int64(
                "replica.lag.time.max.ms",
                30000L,
                null,
                "A follower that has not caught up with its leader for so long leaves the ISR.");
        return keys.list();
    }
}
