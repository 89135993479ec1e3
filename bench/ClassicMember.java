import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * A member of a classic consumer group (JoinGroup, SyncGroup, Heartbeat, LeaveGroup) with one topic and the range
 * assignor's protocol name. Like Kafka's consumer it rejoins at once when told to. A broker may leave a JoinGroup
 * unanswered and read nothing more from its connection meanwhile, so members of one group must not share one.
 */
final class ClassicMember implements Member {
  private static final int SESSION_MS = 60_000;
  private static final int REBALANCE_MS = 60_000;
  private static final long RETRY_MS = 20;
  private static final int JOIN_VERSION = 9;
  private static final int SYNC_VERSION = 5;
  private static final int HEARTBEAT_VERSION = 4;
  private static final int LEAVE_VERSION = 5;

  private final Wire wire;
  private final Wire.Link link;
  private final String group;
  private final String topic;
  private final int partitions;
  private final Tally tally;
  private final Histogram heartbeats;
  private String memberId = "";
  private int generation = -1;
  private List<Integer> owned = List.of();
  private boolean stable;
  private boolean heartbeating;
  private boolean gone;

  ClassicMember(Wire wire, Wire.Link link, String group, String topic, int partitions, Tally tally, Histogram heartbeats) {
    this.wire = wire;
    this.link = link;
    this.group = group;
    this.topic = topic;
    this.partitions = partitions;
    this.tally = tally;
    this.heartbeats = heartbeats;
  }

  String group() {
    return group;
  }

  String memberId() {
    return memberId;
  }

  @Override
  public int epoch() {
    return generation;
  }

  @Override
  public boolean stable() {
    return stable;
  }

  @Override
  public Collection<Integer> owned() {
    return owned;
  }

  @Override
  public void join() {
    gone = false;
    stable = false;
    var protocols = new JoinGroupRequestProtocolCollection();
    protocols.add(new JoinGroupRequestProtocol().setName("range")
        .setMetadata(bytes(ConsumerProtocol.serializeSubscription(new Subscription(List.of(topic))))));
    var request = new JoinGroupRequestData()
        .setGroupId(group).setMemberId(memberId).setProtocolType("consumer").setProtocols(protocols)
        .setSessionTimeoutMs(SESSION_MS).setRebalanceTimeoutMs(REBALANCE_MS);
    link.ask(ApiKeys.JOIN_GROUP, JOIN_VERSION, request, JoinGroupResponseData::new, this::joined);
  }

  private void joined(JoinGroupResponseData answer) {
    var error = Errors.forCode(answer.errorCode());
    switch (error) {
      case NONE -> {
        memberId = answer.memberId();
        generation = answer.generationId();
        sync(memberId.equals(answer.leader()) ? assignments(answer) : List.of(), answer.protocolName());
      }
      case MEMBER_ID_REQUIRED -> {
        memberId = answer.memberId();
        join();
      }
      case REBALANCE_IN_PROGRESS -> join();
      default -> failed("join", error);
    }
  }

  /** Partition p goes to the member p modulo their number, in the order of their ids. */
  private List<SyncGroupRequestAssignment> assignments(JoinGroupResponseData answer) {
    var members = new TreeMap<String, List<TopicPartition>>();
    answer.members().forEach(member -> members.put(member.memberId(), new ArrayList<>()));
    var ids = List.copyOf(members.keySet());
    IntStream.range(0, partitions).forEach(p -> members.get(ids.get(p % ids.size())).add(new TopicPartition(topic, p)));
    return ids.stream().map(id -> new SyncGroupRequestAssignment().setMemberId(id)
        .setAssignment(bytes(ConsumerProtocol.serializeAssignment(new Assignment(members.get(id)))))).toList();
  }

  private void sync(List<SyncGroupRequestAssignment> assignments, String protocol) {
    var request = new SyncGroupRequestData()
        .setGroupId(group).setGenerationId(generation).setMemberId(memberId)
        .setProtocolType("consumer").setProtocolName(protocol).setAssignments(assignments);
    link.ask(ApiKeys.SYNC_GROUP, SYNC_VERSION, request, SyncGroupResponseData::new, this::synced);
  }

  private void synced(SyncGroupResponseData answer) {
    var error = Errors.forCode(answer.errorCode());
    switch (error) {
      case NONE -> {
        var assignment = ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(answer.assignment()));
        owned = assignment.partitions().stream().map(TopicPartition::partition).toList();
        stable = true;
      }
      case REBALANCE_IN_PROGRESS -> join();
      default -> failed("sync", error);
    }
  }

  @Override
  public void heartbeatEvery(long intervalMs, long firstDue) {
    wire.at(firstDue, () -> {
      heartbeat();
      heartbeatEvery(intervalMs, Math.max(firstDue + TimeUnit.MILLISECONDS.toNanos(intervalMs), System.nanoTime()));
    });
  }

  @Override
  public void heartbeat() {
    if (!stable || heartbeating) {
      return;
    }
    heartbeating = true;
    long sent = System.nanoTime();
    var request = new HeartbeatRequestData().setGroupId(group).setGenerationId(generation).setMemberId(memberId);
    link.ask(ApiKeys.HEARTBEAT, HEARTBEAT_VERSION, request, HeartbeatResponseData::new, answer -> {
      heartbeats.recordValue(System.nanoTime() - sent);
      heartbeating = false;
      var error = Errors.forCode(answer.errorCode());
      if (gone || error == Errors.NONE) {
        return;
      }
      if (error == Errors.REBALANCE_IN_PROGRESS) {
        join();
      } else {
        failed("heartbeat", error);
      }
    });
  }

  @Override
  public void leave() {
    gone = true;
    stable = false;
    owned = List.of();
    var request = new LeaveGroupRequestData().setGroupId(group)
        .setMembers(List.of(new MemberIdentity().setMemberId(memberId).setReason("bench")));
    memberId = "";
    link.ask(ApiKeys.LEAVE_GROUP, LEAVE_VERSION, request, LeaveGroupResponseData::new, answer -> {
      var error = Errors.forCode(answer.errorCode() != 0 ? answer.errorCode() : answer.members().get(0).errorCode());
      if (error != Errors.NONE) {
        tally.error("leave", error);
      }
    });
  }

  private void failed(String where, Errors error) {
    tally.error(where, error);
    stable = false;
    if (error == Errors.UNKNOWN_MEMBER_ID || error == Errors.ILLEGAL_GENERATION) {
      memberId = "";
      generation = -1;
    }
    wire.after(RETRY_MS, this::join);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    var bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
