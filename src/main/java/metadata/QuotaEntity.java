package metadata;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whom a client quota concerns: for each of the types user, client-id, ip that it names, one name or, with null, the default of that type. Immutable.
 */
public final class QuotaEntity implements Comparable<QuotaEntity> {

    public static final String USER = "user";
    public static final String CLIENT_ID = "client-id";
    public static final String IP = "ip";

    private final Map<String, String> parts;
    private final String key;

    private QuotaEntity(Map<String, String> parts, String key) {
        this.parts = parts;
        this.key = key;
    }

    /** @param parts type to name; null name: the default entity of that type */
    public static QuotaEntity of(Map<String, String> parts) {
        TreeMap<String, String> sorted = new TreeMap<>(parts);
        StringBuilder key = new StringBuilder();
        sorted.forEach((type, name) -> {
            key.append(type.length()).append(':').append(type);
            key.append(name == null ? "-" : name.length() + ":" + name);
        });
        return new QuotaEntity(Collections.unmodifiableMap(sorted), key.toString());
    }

    /** By type; a null value is the default of that type. */
    public Map<String, String> parts() {
        return parts;
    }

    @Override
    public int compareTo(QuotaEntity other) {
        return key.compareTo(other.key);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof QuotaEntity entity && entity.key.equals(key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    @Override
    public String toString() {
        return parts.toString();
    }
}
