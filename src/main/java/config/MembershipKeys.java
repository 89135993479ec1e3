package config;

import java.util.List;

/** Keys of {@link MembershipConfig}. */
final class MembershipKeys {

    private MembershipKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(MembershipConfig.class);
        keys.int32(
                "broker.heartbeat.interval.ms",
                2000,
                null,
                "A broker tells the active controller so often that it is alive. A third of broker.session.timeout.ms counts where that is less.");
        keys.int32(
                "initial.broker.registration.timeout.ms",
                60000,
                null,
                "A broker that could not register with the active controller for so long ends.");
        keys.bool(
                "controlled.shutdown.enable",
                true,
                "A broker that is stopped waits until others lead its partitions, where others can.");
        return keys.list();
    }
}
