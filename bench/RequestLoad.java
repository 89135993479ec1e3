import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * Connections that each send one record and wait for its acknowledgement, over and over, to the partitions of a topic in turn,
 * on one thread. Kafka's producers in their place take more of a small machine than the brokers do, and so hide how they differ.
 */
final class RequestLoad {
  private static final int PRODUCE_VERSION = 9;
  private static final int TIMEOUT_MS = 30_000;
  private static final long PATIENCE_MS = 60_000;

  private final String bootstrap;
  private final List<ProduceRequestData> requests;
  private final Histogram acks = new Histogram(3);
  private final Tally tally = new Tally();
  private int waiting;
  private int next;

  RequestLoad(String bootstrap, String topic, int partitions, int size) {
    this.bootstrap = bootstrap;
    var records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(new byte[size]));
    requests = IntStream.range(0, partitions).mapToObj(p -> request(topic, p, records)).toList();
  }

  private static ProduceRequestData request(String topic, int partition, MemoryRecords records) {
    var topics = new TopicProduceDataCollection();
    topics.add(new TopicProduceData().setName(topic)
        .setPartitionData(List.of(new PartitionProduceData().setIndex(partition).setRecords(records))));
    return new ProduceRequestData().setAcks((short) -1).setTimeoutMs(TIMEOUT_MS).setTopicData(topics);
  }

  String measure(int connections, int seconds) throws IOException {
    try (var wire = new Wire(bootstrap)) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      for (var link : wire.connect(connections)) {
        send(link, end);
      }
      if (!wire.runUntil(() -> waiting == 0, TimeUnit.SECONDS.toMillis(seconds) + PATIENCE_MS)) {
        tally.error("produce.UNANSWERED");
      }
    }
    return "acks_s=%.1f".formatted(acks.getTotalCount() / (double) seconds) + Tally.percentiles("ack", acks) + tally;
  }

  private void send(Wire.Link link, long end) {
    long sent = System.nanoTime();
    if (sent >= end) {
      return;
    }
    waiting++;
    var request = requests.get(next++ % requests.size());
    link.ask(ApiKeys.PRODUCE, PRODUCE_VERSION, request, ProduceResponseData::new, answer -> {
      waiting--;
      var error = Errors.forCode(answer.responses().iterator().next().partitionResponses().get(0).errorCode());
      if (error == Errors.NONE) {
        acks.recordValue(System.nanoTime() - sent);
      } else {
        tally.error("produce", error);
      }
      send(link, end);
    });
  }
}
