import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * A member of a KIP-848 consumer group with one topic and the uniform assignor. It gives up and takes partitions at once
 * and says so in a heartbeat of its own, as Kafka's consumer does; else it heartbeats at the interval the broker names.
 */
final class ConsumerMember implements Member {
  private static final int VERSION = 1;
  private static final int LEAVE = -1;
  private static final int REBALANCE_MS = 60_000;
  private static final long RETRY_MS = 20;

  private final Wire wire;
  private final Wire.Link link;
  private final String group;
  private final String topic;
  private final Tally tally;
  private final Histogram heartbeats;
  private final String memberId;
  private int epoch;
  private int intervalMs;
  private List<ConsumerGroupHeartbeatRequestData.TopicPartitions> owned = List.of();
  private boolean unacknowledged;
  private boolean inFlight;
  private boolean joined;

  ConsumerMember(Wire wire, Wire.Link link, String group, String topic, int number, Tally tally, Histogram heartbeats) {
    this.wire = wire;
    this.link = link;
    this.group = group;
    this.topic = topic;
    this.memberId = new Uuid(group.hashCode(), number + 1L).toString();
    this.tally = tally;
    this.heartbeats = heartbeats;
  }

  @Override
  public int epoch() {
    return epoch;
  }

  @Override
  public boolean stable() {
    return joined && epoch > 0 && !unacknowledged;
  }

  @Override
  public Collection<Integer> owned() {
    return owned.isEmpty() ? List.of() : owned.get(0).partitions();
  }

  @Override
  public void join() {
    joined = true;
    epoch = 0;
    owned = List.of();
    unacknowledged = true;
    send(request().setRebalanceTimeoutMs(REBALANCE_MS).setSubscribedTopicNames(List.of(topic))
        .setServerAssignor("uniform").setTopicPartitions(List.of()));
  }

  @Override
  public void heartbeatEvery(long ignoredMs, long firstDue) {
    wire.at(firstDue, () -> {
      heartbeat();
      long interval = TimeUnit.MILLISECONDS.toNanos(intervalMs == 0 ? ignoredMs : intervalMs);
      heartbeatEvery(ignoredMs, Math.max(firstDue + interval, System.nanoTime()));
    });
  }

  @Override
  public void heartbeat() {
    if (joined && epoch > 0 && !inFlight) {
      long sent = System.nanoTime();
      send(request(), () -> heartbeats.recordValue(System.nanoTime() - sent));
    }
  }

  @Override
  public void leave() {
    joined = false;
    owned = List.of();
    epoch = LEAVE;
    send(request());
  }

  private ConsumerGroupHeartbeatRequestData request() {
    return new ConsumerGroupHeartbeatRequestData().setGroupId(group).setMemberId(memberId).setMemberEpoch(epoch);
  }

  private void send(ConsumerGroupHeartbeatRequestData request) {
    send(request, () -> {});
  }

  private void send(ConsumerGroupHeartbeatRequestData request, Runnable first) {
    inFlight = true;
    link.ask(ApiKeys.CONSUMER_GROUP_HEARTBEAT, VERSION, request, ConsumerGroupHeartbeatResponseData::new, answer -> {
      first.run();
      inFlight = false;
      answered(request.memberEpoch(), answer);
    });
  }

  private void answered(int sentEpoch, ConsumerGroupHeartbeatResponseData answer) {
    var error = Errors.forCode(answer.errorCode());
    if (error != Errors.NONE) {
      tally.error("heartbeat", error);
      unacknowledged = true;
      if (joined) {
        wire.after(RETRY_MS, this::join);
      }
      return;
    }
    if (!joined || sentEpoch == LEAVE) {
      return; // what was asked before leaving
    }
    epoch = answer.memberEpoch();
    intervalMs = answer.heartbeatIntervalMs();
    unacknowledged = answer.assignment() != null;
    if (unacknowledged) {
      owned = new ArrayList<>();
      answer.assignment().topicPartitions().forEach(assigned -> owned.add(new ConsumerGroupHeartbeatRequestData.TopicPartitions()
          .setTopicId(assigned.topicId()).setPartitions(assigned.partitions())));
      send(request().setTopicPartitions(owned));
    }
  }
}
