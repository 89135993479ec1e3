package config;

/**
 * Why the broker does not start: {@code key} and {@code value} as given (value null for a missing key, "[hidden]" for secrets), and what is wrong and
 * allowed in words for people.
 */
public record ConfigProblem(String key, String value, String message) {

    @Override
    public String toString() {
        return value == null ? key + ": " + message : key + "=" + value + ": " + message;
    }
}
