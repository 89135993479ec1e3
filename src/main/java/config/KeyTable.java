package config;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Collects the lines of one part of the table. */
final class KeyTable {

    static final ConfigDef.Validator GZIP_LEVEL = ConfigDef.LambdaValidator.with(
            (name, value) -> {
                int level = (Integer) value;
                if (level != -1 && (level < 1 || level > 9)) {
                    throw new ConfigException(name, value, "Value must be between 1 and 9 or equal to -1");
                }
            },
            () -> "[1,...,9] or -1");

    /** Fewer would have nearly each request open a file. */
    static final ConfigDef.Validator OPEN_FILES = ConfigDef.LambdaValidator.with(
            (name, value) -> {
                int files = (Integer) value;
                if (files != -1 && (files < 16 || files > 1_048_576)) {
                    throw new ConfigException(name, value, "must be -1 or between 16 and 1048576");
                }
            },
            () -> "[16,...,1048576] or -1");

    static final ConfigDef.Validator OFFSET_RESET = ConfigDef.LambdaValidator.with(
            (name, value) -> {
                String strategy = (String) value;
                if (!strategy.equals("earliest") && !strategy.equals("latest") && !isDurationReset(strategy)) {
                    throw new ConfigException(
                            name,
                            value,
                            "allowed: earliest, latest, or by_duration:<PnDTnHnMn.nS>, for example by_duration:P1D");
                }
            },
            () -> "[latest, earliest, by_duration:PnDTnHnMn.nS]");

    static final ConfigDef.Validator THROTTLED = ConfigDef.LambdaValidator.with(
            (name, value) -> {
                List<?> replicas = (List<?>) value;
                boolean all = replicas.size() == 1
                        && replicas.get(0).toString().trim().equals("*");
                if (!all
                        && !replicas.stream()
                                .allMatch(each -> each.toString().trim().matches("([0-9]{1,9}:[0-9]{1,9})?"))) {
                    throw new ConfigException(
                            name,
                            value,
                            name + " must be the literal '*' or a list of replicas in the following format:"
                                    + " [partitionId]:[brokerId],[partitionId]:[brokerId],...");
                }
            },
            () -> "partition:broker, ... or *");

    private static boolean isDurationReset(String strategy) {
        try {
            return strategy.startsWith("by_duration:")
                    && !Duration.parse(strategy.substring("by_duration:".length()))
                            .isNegative();
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    private final List<ConfigKey> keys = new ArrayList<>();
    private ConfigKey.Standing standing;
    private Class<?> owner;
    private String reason;

    static ConfigDef.Validator atLeast(Number least) {
        return ConfigDef.Range.atLeast(least);
    }

    static ConfigDef.Validator between(Number least, Number most) {
        return ConfigDef.Range.between(least, most);
    }

    static ConfigDef.Validator oneOf(String... values) {
        return ConfigDef.ValidString.in(values);
    }

    static ConfigDef.Validator caseInsensitive(String... values) {
        return ConfigDef.CaseInsensitiveValidString.in(values);
    }

    static ConfigDef.Validator subsetOf(String... values) {
        return ConfigDef.ValidList.in(values);
    }

    /** The keys that follow are read by {@code owner}. */
    void inForce(Class<?> owner) {
        this.standing = ConfigKey.Standing.IN_FORCE;
        this.owner = owner;
        this.reason = null;
    }

    void withoutEffect(String reason) {
        this.standing = ConfigKey.Standing.NO_EFFECT;
        this.owner = null;
        this.reason = reason;
    }

    void refused(String reason) {
        this.standing = ConfigKey.Standing.REFUSED;
        this.owner = null;
        this.reason = reason;
    }

    List<ConfigKey> list() {
        return List.copyOf(keys);
    }

    Last int32(String name, Integer usual, ConfigDef.Validator validator, String... doc) {
        return add(name, ConfigDef.Type.INT, usual, validator, doc);
    }

    Last int64(String name, Long usual, ConfigDef.Validator validator, String... doc) {
        return add(name, ConfigDef.Type.LONG, usual, validator, doc);
    }

    Last int16(String name, short usual, ConfigDef.Validator validator, String... doc) {
        return add(name, ConfigDef.Type.SHORT, usual, validator, doc);
    }

    Last float64(String name, double usual, ConfigDef.Validator validator, String... doc) {
        return add(name, ConfigDef.Type.DOUBLE, usual, validator, doc);
    }

    Last bool(String name, boolean usual, String... doc) {
        return add(name, ConfigDef.Type.BOOLEAN, usual, null, doc);
    }

    Last string(String name, String usual, ConfigDef.Validator validator, String... doc) {
        return add(name, ConfigDef.Type.STRING, usual, validator, doc);
    }

    /** {@code usual}: with commas between; null when unset. */
    Last list(String name, String usual, ConfigDef.Validator validator, String... doc) {
        List<String> values = usual == null ? null : usual.isEmpty() ? List.of() : Arrays.asList(usual.split(",", -1));
        return add(name, ConfigDef.Type.LIST, values, validator, doc);
    }

    Last classOf(String name, String usual, String... doc) {
        return add(name, ConfigDef.Type.CLASS, usual, null, doc);
    }

    Last password(String name, String... doc) {
        return add(name, ConfigDef.Type.PASSWORD, null, null, doc);
    }

    /** A key that Kafka no longer has. */
    Last retired(String name) {
        return add(name, ConfigDef.Type.STRING, null, null);
    }

    private Last add(String name, ConfigDef.Type type, Object usual, ConfigDef.Validator validator, String... doc) {
        keys.add(new ConfigKey(name, type, usual, validator, standing, owner, reason != null ? reason : doc[0]));
        return new Last();
    }

    /** What else there is to say about the key just added. */
    final class Last {
        void clusterWide() {
            update(ConfigKey.Update.CLUSTER_WIDE);
        }

        void perBroker() {
            update(ConfigKey.Update.PER_BROKER);
        }

        private void update(ConfigKey.Update update) {
            int last = keys.size() - 1;
            keys.set(last, keys.get(last).withUpdate(update));
        }
    }
}
