import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * One group of many members, each on a connection of its own: how long until all are stable after they join at once, after
 * one leaves, and after that one is back; the last two also with members that hurry, because else the time is mostly the wait
 * for the next heartbeat, by which members learn of a rebalance. Meanwhile the heartbeats of another, small group show whether the broker stays
 * responsive.
 */
final class MembersLoad {
  private static final long PATIENCE_MS = 180_000;
  private static final long BYSTANDER_MS = 20;
  private static final int BYSTANDER_WARM_UP = 25; // heartbeats
  private static final long FIRST_HURRY_MS = 5; // after the one that leaves or joins
  private static final long HURRY_MS = 50;

  private final Wire wire;
  private final boolean classic;
  private final String topic;
  private final int partitions;
  private final Tally tally = new Tally();
  private final Histogram heartbeats = new Histogram(3);
  private final List<Member> members = new ArrayList<>();
  private final String group;
  private final BitSet seen = new BitSet();
  private Member away;
  private boolean hurrying;

  MembersLoad(Wire wire, String protocol, String group, String topic, int partitions) {
    this.wire = wire;
    this.classic = protocol.equals("classic");
    this.group = group;
    this.topic = topic;
    this.partitions = partitions;
  }

  String measure(int count, long heartbeatMs) throws IOException {
    var links = wire.connect(count);
    for (int i = 0; i < count; i++) {
      members.add(member(links.get(i), i));
    }
    var bystander = bystander();
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      members.get(i).join();
      members.get(i).heartbeatEvery(heartbeatMs, start + (i + 1) * heartbeatMs * 1_000_000 / count);
    }
    double joinMs = awaitStable("join", start);
    int joinEpoch = epoch();
    quiet(heartbeatMs);
    var paced = leaveAndRejoin(members.get(count / 2), "", heartbeatMs, heartbeatMs);
    int again = epoch() - joinEpoch;
    var hurried = leaveAndRejoin(members.get(count / 2), "hurried_", heartbeatMs, HURRY_MS);
    verify(count);
    return "join_ms=%.1f%s%s join_rebalances=%d again_rebalances=%d".formatted(joinMs, paced, hurried, joinEpoch, again)
        + Tally.percentiles("heartbeat", heartbeats) + Tally.percentiles("bystander", bystander) + tally;
  }

  private String leaveAndRejoin(Member one, String name, long heartbeatMs, long hurryMs) throws IOException {
    away = one;
    long start = System.nanoTime();
    one.leave();
    hurry(hurryMs < heartbeatMs ? hurryMs : 0);
    double leaveMs = awaitStable(name + "leave", start);
    quiet(heartbeatMs);
    start = System.nanoTime();
    one.join();
    away = null;
    hurry(hurryMs < heartbeatMs ? hurryMs : 0);
    double rejoinMs = awaitStable(name + "rejoin", start);
    quiet(heartbeatMs);
    return " %sleave_ms=%.1f %srejoin_ms=%.1f".formatted(name, leaveMs, name, rejoinMs);
  }

  /** Until all are stable, all members heartbeat at once every so often: what then takes time is not the wait for heartbeats. */
  private void hurry(long everyMs) {
    hurrying = everyMs > 0;
    if (hurrying) {
      wire.after(FIRST_HURRY_MS, () -> hurryOn(everyMs));
    }
  }

  private void hurryOn(long everyMs) {
    if (hurrying) {
      members.forEach(Member::heartbeat);
      wire.after(everyMs, () -> hurryOn(everyMs));
    }
  }

  private int epoch() {
    return members.get(0).epoch();
  }

  private Member member(Wire.Link link, int number) {
    return classic
        ? new ClassicMember(wire, link, group, topic, partitions, tally, heartbeats)
        : new ConsumerMember(wire, link, group, topic, number, tally, heartbeats);
  }

  /** A classic group of one that heartbeats all the time; its latencies. */
  private Histogram bystander() throws IOException {
    var latencies = new Histogram(3);
    var one = new ClassicMember(wire, wire.connect(), group + "-bystander", topic, 1, tally, latencies);
    one.join();
    if (!wire.runUntil(one::stable, PATIENCE_MS)) {
      tally.error("bystander.UNFINISHED");
    }
    one.heartbeatEvery(BYSTANDER_MS, System.nanoTime());
    if (!wire.runUntil(() -> latencies.getTotalCount() >= BYSTANDER_WARM_UP, PATIENCE_MS)) {
      tally.error("bystander.UNANSWERED");
    }
    latencies.reset();
    return latencies;
  }

  /** Waits until every partition has one owner, all are of one epoch, and no one has more than one partition above another. */
  private double awaitStable(String phase, long since) throws IOException {
    if (!wire.runUntil(this::stable, PATIENCE_MS)) {
      tally.error(phase + ".UNFINISHED");
    }
    hurrying = false;
    return (System.nanoTime() - since) / 1e6;
  }

  private boolean stable() {
    int epoch = members.get(0) == away ? members.get(1).epoch() : members.get(0).epoch();
    for (var member : members) {
      if (member != away && (!member.stable() || member.epoch() != epoch)) {
        return false;
      }
    }
    seen.clear();
    int least = Integer.MAX_VALUE;
    int most = 0;
    int all = 0;
    for (var member : members) {
      if (member != away) {
        int size = member.owned().size();
        least = Math.min(least, size);
        most = Math.max(most, size);
        all += size;
        member.owned().forEach(seen::set);
      }
    }
    return all == partitions && seen.cardinality() == partitions && most - least <= 1;
  }

  /** Two heartbeats of each in which nothing may change. */
  private void quiet(long heartbeatMs) throws IOException {
    int epoch = epoch();
    wire.run(Math.max(1000, 2 * heartbeatMs));
    if (!stable() || epoch() != epoch) {
      tally.error("quiet.CHANGED");
    }
  }

  private void verify(int count) throws IOException {
    var link = wire.connect();
    var told = new ArrayList<String>();
    if (classic) {
      link.ask(ApiKeys.DESCRIBE_GROUPS, 5, new DescribeGroupsRequestData().setGroups(List.of(group)),
          DescribeGroupsResponseData::new,
          a -> told.add(a.groups().get(0).groupState() + " " + a.groups().get(0).members().size()));
    } else {
      link.ask(ApiKeys.CONSUMER_GROUP_DESCRIBE, 1, new ConsumerGroupDescribeRequestData().setGroupIds(List.of(group)),
          ConsumerGroupDescribeResponseData::new,
          a -> told.add(a.groups().get(0).groupState() + " " + a.groups().get(0).members().size()));
    }
    if (!wire.runUntil(() -> !told.isEmpty(), PATIENCE_MS) || !told.get(0).equals("Stable " + count)) {
      tally.error("describe." + String.join("", told).replace(' ', '_'));
    }
  }

  void leave() throws IOException {
    members.forEach(Member::leave);
    wire.awaitAnswers(PATIENCE_MS);
  }
}
