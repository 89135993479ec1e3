import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Loads a broker with consumer groups. Like {@link Probe} it reads one command a line from standard input and answers each
 * with a line "= key=value ...". Errors are counted and named in every answer. The broker is one node; set
 * {@code group.initial.rebalance.delay.ms=0}, because a JoinGroup that waits blocks its connection.
 */
public final class GroupProbe {
  private static final long PATIENCE_MS = 60_000;
  private static final long RETRY_MS = 50;
  private static final List<Errors> NOT_YET =
      List.of(Errors.NOT_COORDINATOR, Errors.COORDINATOR_NOT_AVAILABLE, Errors.COORDINATOR_LOAD_IN_PROGRESS);

  private final String bootstrap;
  private Wire commitWire;
  private CommitLoad commits;

  private GroupProbe(String bootstrap) {
    this.bootstrap = bootstrap;
  }

  public static void main(String[] args) {
    Commands.serve(new GroupProbe(args[0])::run);
  }

  private String run(String[] w) throws Exception {
    return switch (w[0]) {
      case "ready" -> ready();
      // groups PREFIX COUNT CONNECTIONS TOPIC PARTITIONS, then commits SECONDS as often as wanted, check, ungroup
      case "groups" -> groups(w[1], number(w[2]), number(w[3]), w[4], number(w[5]));
      case "commits" -> commits.commit(number(w[1]));
      case "check" -> commits.check();
      case "ungroup" -> ungroup();
      // members classic|consumer GROUP COUNT TOPIC PARTITIONS HEARTBEAT_MS
      case "members" -> members(w[1], w[2], number(w[3]), w[4], number(w[5]), number(w[6]));
      // rolling range|cooperative|consumer[-static] GROUP CONSUMERS TOPIC PARTITIONS HEARTBEAT_MS AWAY_MS
      case "rolling" -> new RollingRestart(bootstrap, w[1], w[2], w[4], number(w[5]), number(w[3]), number(w[6]))
          .measure(number(w[7]));
      default -> throw new IllegalArgumentException("unknown command " + w[0]);
    };
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  /** Waits until the broker says that it coordinates groups, and does so for hundreds of them: one in each shard. */
  private String ready() throws IOException {
    long start = System.nanoTime();
    try (var wire = new Wire(bootstrap)) {
      var link = wire.connect();
      var done = new boolean[1];
      find(wire, link, done);
      if (!wire.runUntil(() -> done[0], PATIENCE_MS)) {
        throw new IllegalStateException("no group coordinator after " + PATIENCE_MS + " ms");
      }
    }
    return "ms=%.1f".formatted((System.nanoTime() - start) / 1e6);
  }

  private void find(Wire wire, Wire.Link link, boolean[] done) {
    var request = new FindCoordinatorRequestData().setKeyType((byte) 0).setCoordinatorKeys(List.of("ready"));
    link.ask(ApiKeys.FIND_COORDINATOR, 4, request, FindCoordinatorResponseData::new, answer -> {
      if (answer.coordinators().get(0).errorCode() == 0) {
        describe(wire, link, done);
      } else {
        wire.after(RETRY_MS, () -> find(wire, link, done));
      }
    });
  }

  private void describe(Wire wire, Wire.Link link, boolean[] done) {
    var groups = IntStream.range(0, 500).mapToObj(i -> "ready-" + i).toList();
    link.ask(ApiKeys.DESCRIBE_GROUPS, 5, new DescribeGroupsRequestData().setGroups(groups), DescribeGroupsResponseData::new,
        answer -> {
          if (answer.groups().stream().noneMatch(g -> NOT_YET.contains(Errors.forCode(g.errorCode())))) {
            done[0] = true;
          } else {
            wire.after(RETRY_MS, () -> describe(wire, link, done));
          }
        });
  }

  private String groups(String prefix, int count, int connections, String topic, int partitions) throws IOException {
    commitWire = new Wire(bootstrap);
    commits = new CommitLoad(commitWire, topic, partitions);
    return commits.join(prefix, count, connections);
  }

  private String ungroup() throws IOException {
    commits.leave();
    commitWire.close();
    return "ok=1";
  }

  private String members(String protocol, String group, int count, String topic, int partitions, int heartbeatMs)
      throws IOException {
    try (var wire = new Wire(bootstrap)) {
      var load = new MembersLoad(wire, protocol, group, topic, partitions);
      String outcome = load.measure(count, heartbeatMs);
      load.leave();
      return outcome;
    }
  }
}
