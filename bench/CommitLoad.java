import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Many groups of one classic member each, spread over some connections, that each commit some partitions once a second, at
 * evenly spread moments, and heartbeat every three seconds. A group whose last commit is still unanswered when the next is
 * due leaves that one out, and it is counted as late. Nothing else makes a commit wait for an answer; how much later than due
 * the driver itself sends is told as its lag.
 */
final class CommitLoad {
  private static final int COMMIT_VERSION = 9;
  private static final int FETCH_VERSION = 9;
  private static final long HEARTBEAT_MS = 3000;
  private static final long PATIENCE_MS = 120_000;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private static final class Committer {
    final ClassicMember member;
    final Wire.Link link;
    long offset;
    long acknowledged = -1;
    boolean waiting;

    Committer(ClassicMember member, Wire.Link link) {
      this.member = member;
      this.link = link;
    }
  }

  private final Wire wire;
  private final String topic;
  private final int partitions;
  private final List<Committer> committers = new ArrayList<>();
  private final Histogram heartbeats = new Histogram(3);
  private Tally tally = new Tally();
  private Histogram latencies;
  private Histogram lag;
  private int late;
  private int checked;
  private int wrong;

  CommitLoad(Wire wire, String topic, int partitions) {
    this.wire = wire;
    this.topic = topic;
    this.partitions = partitions;
  }

  /** All groups joined; how long that took. */
  String join(String prefix, int groups, int connections) throws IOException {
    var links = wire.connect(connections);
    long start = System.nanoTime();
    for (int i = 0; i < groups; i++) {
      var link = links.get(i % connections);
      var member = new ClassicMember(wire, link, prefix + i, topic, partitions, tally, heartbeats);
      committers.add(new Committer(member, link));
      member.join();
    }
    boolean all = wire.runUntil(() -> committers.stream().allMatch(c -> c.member.stable()), PATIENCE_MS);
    if (!all) {
      tally.error("join.UNFINISHED");
    }
    for (int i = 0; i < groups; i++) {
      committers.get(i).member.heartbeatEvery(HEARTBEAT_MS, System.nanoTime() + i * HEARTBEAT_MS * 1_000_000 / groups);
    }
    return "join_ms=%.1f".formatted((System.nanoTime() - start) / 1e6) + tally;
  }

  String commit(int seconds) throws IOException {
    tally = new Tally();
    latencies = new Histogram(3);
    lag = new Histogram(3);
    heartbeats.reset();
    late = 0;
    long start = System.nanoTime();
    long end = start + seconds * SECOND;
    for (int i = 0; i < committers.size(); i++) {
      schedule(committers.get(i), start + i * SECOND / committers.size(), end);
    }
    wire.run(seconds * 1000L);
    double rate = latencies.getTotalCount() / (double) seconds;
    if (!wire.runUntil(() -> committers.stream().noneMatch(c -> c.waiting), PATIENCE_MS)) {
      committers.stream().filter(c -> c.waiting).forEach(c -> tally.error("commit.UNANSWERED"));
    }
    return "commits_s=%.1f commits=%d".formatted(rate, latencies.getTotalCount()) + Tally.percentiles("commit", latencies)
        + Tally.percentiles("heartbeat", heartbeats) + " driver_lag_p99_us=%.0f late=%d".formatted(
            lag.getValueAtPercentile(99) / 1e3, late) + tally;
  }

  private void schedule(Committer committer, long due, long end) {
    if (due >= end) {
      return;
    }
    wire.at(due, () -> {
      if (committer.waiting) {
        late++;
      } else {
        commit(committer, due);
      }
      schedule(committer, due + SECOND, end);
    });
  }

  private void commit(Committer committer, long due) {
    long sent = System.nanoTime();
    lag.recordValue(sent - due);
    committer.waiting = true;
    long offset = ++committer.offset;
    var each = IntStream.range(0, partitions).mapToObj(p -> new OffsetCommitRequestPartition()
        .setPartitionIndex(p).setCommittedOffset(offset).setCommittedLeaderEpoch(0).setCommittedMetadata("")).toList();
    var request = new OffsetCommitRequestData().setGroupId(committer.member.group())
        .setGenerationIdOrMemberEpoch(committer.member.epoch()).setMemberId(committer.member.memberId())
        .setTopics(List.of(new OffsetCommitRequestTopic().setName(topic).setPartitions(each)));
    committer.link.ask(ApiKeys.OFFSET_COMMIT, COMMIT_VERSION, request, OffsetCommitResponseData::new, answer -> {
      committer.waiting = false;
      var error = answer.topics().stream().flatMap(t -> t.partitions().stream()).map(p -> Errors.forCode(p.errorCode()))
          .filter(e -> e != Errors.NONE).findFirst().orElse(Errors.NONE);
      if (error == Errors.NONE) {
        latencies.recordValue(System.nanoTime() - sent);
        committer.acknowledged = offset;
      } else {
        tally.error("commit", error);
      }
    });
  }

  /** Fetches every group's offsets: each must be the last one that was acknowledged. */
  String check() throws IOException {
    tally = new Tally();
    checked = 0;
    wrong = 0;
    committers.forEach(this::fetch);
    if (!wire.runUntil(() -> checked == committers.size(), PATIENCE_MS)) {
      tally.error("fetch.UNANSWERED");
    }
    return "checked=%d wrong=%d".formatted(checked, wrong) + tally;
  }

  private void fetch(Committer committer) {
    var all = IntStream.range(0, partitions).boxed().toList();
    var request = new OffsetFetchRequestData().setRequireStable(true).setGroups(List.of(new OffsetFetchRequestGroup()
        .setGroupId(committer.member.group())
        .setTopics(List.of(new OffsetFetchRequestTopics().setName(topic).setPartitionIndexes(all)))));
    committer.link.ask(ApiKeys.OFFSET_FETCH, FETCH_VERSION, request, OffsetFetchResponseData::new, answer -> {
      checked++;
      var group = answer.groups().get(0);
      if (group.errorCode() != 0) {
        tally.error("fetch", Errors.forCode(group.errorCode()));
        return;
      }
      long right = group.topics().stream().flatMap(t -> t.partitions().stream())
          .filter(p -> p.committedOffset() == committer.acknowledged).count();
      wrong += right == partitions ? 0 : 1;
    });
  }

  void leave() throws IOException {
    committers.forEach(c -> c.member.leave());
    wire.awaitAnswers(PATIENCE_MS);
  }
}
