import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** Waits until a broker coordinates groups and transactions; asking makes their internal topics. */
final class Coordinators {
  static final byte GROUPS = 0;
  static final byte TRANSACTIONS = 1;

  private static final long PATIENCE_MS = 60_000;
  private static final long RETRY_MS = 50;
  /** So many that each of a broker's shards has one. */
  private static final List<String> SOME_GROUPS = IntStream.range(0, 500).mapToObj(i -> "ready-" + i).toList();
  private static final List<Errors> NOT_YET =
      List.of(Errors.NOT_COORDINATOR, Errors.COORDINATOR_NOT_AVAILABLE, Errors.COORDINATOR_LOAD_IN_PROGRESS);

  private final Wire wire;
  private final Wire.Link link;
  private int ready;

  private Coordinators(Wire wire) throws IOException {
    this.wire = wire;
    this.link = wire.connect();
  }

  /** Waits until the broker names a coordinator of each type, and does coordinate hundreds of groups if they are among the types. */
  static String await(String bootstrap, byte... types) throws IOException {
    long start = System.nanoTime();
    try (var wire = new Wire(bootstrap)) {
      var coordinators = new Coordinators(wire);
      for (byte type : types) {
        coordinators.find(type);
      }
      if (!wire.runUntil(() -> coordinators.ready == types.length, PATIENCE_MS)) {
        throw new IllegalStateException("no coordinators after " + PATIENCE_MS + " ms");
      }
    }
    return "ms=%.1f".formatted((System.nanoTime() - start) / 1e6);
  }

  private void find(byte type) {
    var request = new FindCoordinatorRequestData().setKeyType(type).setCoordinatorKeys(List.of("ready"));
    link.ask(ApiKeys.FIND_COORDINATOR, 4, request, FindCoordinatorResponseData::new, answer -> {
      if (answer.coordinators().get(0).errorCode() != 0) {
        wire.after(RETRY_MS, () -> find(type));
      } else if (type == GROUPS) {
        describe();
      } else {
        ready++;
      }
    });
  }

  private void describe() {
    link.ask(ApiKeys.DESCRIBE_GROUPS, 5, new DescribeGroupsRequestData().setGroups(SOME_GROUPS), DescribeGroupsResponseData::new,
        answer -> {
          if (answer.groups().stream().anyMatch(g -> NOT_YET.contains(Errors.forCode(g.errorCode())))) {
            wire.after(RETRY_MS, this::describe);
          } else {
            ready++;
          }
        });
  }
}
