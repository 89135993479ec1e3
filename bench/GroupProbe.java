import static java.lang.Integer.parseInt;

import java.io.IOException;

/**
 * Loads a broker with consumer groups; see {@link Commands}. Errors are counted and named in every answer. The broker is one node; set
 * {@code group.initial.rebalance.delay.ms=0}, because a JoinGroup that waits blocks its connection.
 */
public final class GroupProbe {
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
      case "ready" -> Coordinators.await(bootstrap, Coordinators.GROUPS);
      // groups PREFIX COUNT CONNECTIONS TOPIC PARTITIONS, then commits SECONDS as often as wanted, check, ungroup
      case "groups" -> groups(w[1], parseInt(w[2]), parseInt(w[3]), w[4], parseInt(w[5]));
      case "commits" -> commits.commit(parseInt(w[1]));
      case "check" -> commits.check();
      case "ungroup" -> ungroup();
      // members classic|consumer GROUP COUNT TOPIC PARTITIONS HEARTBEAT_MS
      case "members" -> members(w[1], w[2], parseInt(w[3]), w[4], parseInt(w[5]), parseInt(w[6]));
      // rolling range|cooperative|consumer[-static] GROUP CONSUMERS TOPIC PARTITIONS HEARTBEAT_MS AWAY_MS
      case "rolling" -> new RollingRestart(bootstrap, w[1], w[2], w[4], parseInt(w[5]), parseInt(w[3]), parseInt(w[6]))
          .measure(parseInt(w[7]));
      default -> throw new IllegalArgumentException("unknown command " + w[0]);
    };
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
