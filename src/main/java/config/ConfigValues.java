package config;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Parsed broker settings while the typed records are made of them. A record may read only the keys that the table gives to it (R10): anything else is a
 * bug and throws. Confined to the caller.
 */
final class ConfigValues {

    private final Map<String, Object> given;
    private final Set<String> read = new TreeSet<>();

    /** @param given typed values of the keys that were set */
    ConfigValues(Map<String, Object> given) {
        this.given = new TreeMap<>(given);
    }

    /** What {@code owner} may read. */
    Part of(Class<?> owner) {
        return new Part(owner.getSimpleName());
    }

    /** Keys read so far, sorted. */
    Set<String> read() {
        return read;
    }

    /** The keys of one owner. */
    final class Part {
        private final String owner;

        private Part(String owner) {
            this.owner = owner;
        }

        /** null when it was not set. */
        <T> T given(Class<T> type, String name) {
            check(name);
            return type.cast(given.get(name));
        }

        private <T> T value(Class<T> type, String name) {
            ConfigKey key = check(name);
            Object value = given.get(name);
            return type.cast(value == null ? key.defaultValue() : value);
        }

        int int32(String name) {
            return value(Integer.class, name);
        }

        long int64(String name) {
            return value(Long.class, name);
        }

        short int16(String name) {
            return value(Short.class, name);
        }

        double float64(String name) {
            return value(Double.class, name);
        }

        boolean bool(String name) {
            return value(Boolean.class, name);
        }

        /** null when unset. */
        String string(String name) {
            return value(String.class, name);
        }

        /** Without blanks around the entries; empty when unset. */
        List<String> list(String name) {
            List<?> values = value(List.class, name);
            return values == null
                    ? List.of()
                    : values.stream()
                            .map(entry -> entry.toString().trim())
                            .filter(entry -> !entry.isEmpty())
                            .toList();
        }

        private ConfigKey check(String name) {
            ConfigKey key = BrokerKeys.get(name);
            if (key == null || !key.owner().equals(owner)) {
                throw new IllegalStateException(owner + " does not own " + name);
            }
            read.add(name);
            return key;
        }
    }
}
