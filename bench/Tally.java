import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.apache.kafka.common.protocol.Errors;

/** Errors by name, none of them hidden, and percentiles as the answers of a probe show them. */
final class Tally {
  private final Map<String, Integer> errors = new TreeMap<>();

  void error(String name) {
    errors.merge(name, 1, Integer::sum);
  }

  void error(String where, Errors error) {
    error(where + "." + error);
  }

  int count() {
    return errors.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** {@code errors=N}, and if there are any, {@code which=NAME:N,...}. */
  @Override
  public String toString() {
    String names = errors.entrySet().stream().map(e -> e.getKey() + ":" + e.getValue()).collect(Collectors.joining(","));
    return " errors=" + count() + (names.isEmpty() ? "" : " which=" + names);
  }

  static String percentiles(String name, Histogram h) {
    return " %s_p50_us=%.0f %s_p99_us=%.0f %s_p999_us=%.0f %s_max_us=%.0f".formatted(name, h.getValueAtPercentile(50) / 1e3,
        name, h.getValueAtPercentile(99) / 1e3, name, h.getValueAtPercentile(99.9) / 1e3, name, h.getMaxValue() / 1e3);
  }
}
