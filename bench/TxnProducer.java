import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * One transactional producer of the second protocol (KIP-890), which speaks like Kafka's own: partitions are added by their first batch, each end gives
 * the epoch of the next transaction. The first batches of a transaction go out alone, so that a broker that has not ended the last one yet can refuse them
 * (they are sent again); the others keep up to five requests in flight.
 */
final class TxnProducer {
  private static final int PRODUCE_VERSION = 12;
  private static final int OFFSETS_VERSION = 5;
  private static final int END_VERSION = 5;
  private static final int INIT_VERSION = 4;
  private static final int IN_FLIGHT = 5;
  private static final int REQUEST_TIMEOUT_MS = 30_000;
  private static final long RETRY_MS = 20;
  private static final List<Errors> NOT_YET = List.of(Errors.CONCURRENT_TRANSACTIONS, Errors.NOT_ENOUGH_REPLICAS,
      Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR);

  /**
   * What each transaction holds.
   *
   * @param batches to each partition, one after the other
   * @param group whose offset of partition 0 it commits; "-" for none
   */
  record Shape(String topic, int partitions, int batches, int recordsPerBatch, TxnBatch batch, String group) {
    int records() {
      return partitions * batches * recordsPerBatch;
    }
  }

  /** What the load gets to know. */
  interface Ended {
    void done(long startNanos, long endSentNanos, boolean committed);
  }

  private final Wire wire;
  private final Wire.Link link;
  private final String transactionalId;
  private final Shape shape;
  private final Tally tally;
  private final Ended ended;
  private long producerId = -1;
  private short epoch = -1;
  private boolean ready;
  private boolean busy;
  private boolean failed;
  private boolean commits;
  private long started;
  private int sent;
  private int unanswered;
  private int offset;
  private int retries;

  TxnProducer(Wire wire, String transactionalId, Shape shape, Tally tally, Ended ended) throws java.io.IOException {
    this.wire = wire;
    this.link = wire.connect();
    this.transactionalId = transactionalId;
    this.shape = shape;
    this.tally = tally;
    this.ended = ended;
  }

  boolean ready() {
    return ready;
  }

  boolean busy() {
    return busy;
  }

  /** Requests that were refused because the last transaction had not ended in the broker, since the last call. */
  int takeRetries() {
    int all = retries;
    retries = 0;
    return all;
  }

  void init() {
    var request = new InitProducerIdRequestData().setTransactionalId(transactionalId).setTransactionTimeoutMs(60_000)
        .setProducerId(-1).setProducerEpoch((short) -1);
    link.ask(ApiKeys.INIT_PRODUCER_ID, INIT_VERSION, request, InitProducerIdResponseData::new, answer -> {
      var error = Errors.forCode(answer.errorCode());
      if (error == Errors.NONE) {
        producerId = answer.producerId();
        epoch = answer.producerEpoch();
        ready = true;
      } else if (NOT_YET.contains(error)) {
        wire.after(RETRY_MS, this::init);
      } else {
        tally.error("init", error);
      }
    });
  }

  /** Writes all records of a transaction, then ends it. */
  void begin(boolean commit) {
    busy = true;
    commits = commit;
    started = System.nanoTime();
    sent = 0;
    produce(IntStream.range(0, shape.partitions()).boxed().toList());
  }

  private void produce(List<Integer> partitions) {
    int sequence = sent * shape.recordsPerBatch();
    var topic = new TopicProduceData().setName(shape.topic());
    for (int each : partitions) {
      topic.partitionData().add(new PartitionProduceData().setIndex(each)
          .setRecords(shape.batch().stamped(producerId, epoch, sequence)));
    }
    var request = new ProduceRequestData().setTransactionalId(transactionalId).setAcks((short) -1)
        .setTimeoutMs(REQUEST_TIMEOUT_MS);
    request.topicData().add(topic);
    unanswered++;
    boolean first = sent == 0;
    link.ask(ApiKeys.PRODUCE, PRODUCE_VERSION, request, ProduceResponseData::new, answer -> {
      unanswered--;
      var again = new ArrayList<Integer>();
      answer.responses().forEach(t -> t.partitionResponses().forEach(p -> {
        var error = Errors.forCode(p.errorCode());
        if (first && NOT_YET.contains(error)) {
          again.add(p.index());
        } else if (error != Errors.NONE) {
          fail("produce", error);
        }
      }));
      if (again.isEmpty()) {
        produced(first);
      } else {
        retries++;
        wire.after(RETRY_MS, () -> produce(again));
      }
    });
  }

  private void produced(boolean first) {
    if (failed) {
      return;
    }
    if (first) {
      sent = 1;
    }
    while (sent < shape.batches() && unanswered < IN_FLIGHT) {
      produce(IntStream.range(0, shape.partitions()).boxed().toList());
      sent++;
    }
    if (unanswered == 0) {
      if (shape.group().equals("-")) {
        end();
      } else {
        commitOffset();
      }
    }
  }

  private void commitOffset() {
    var partition = new TxnOffsetCommitRequestPartition().setPartitionIndex(0).setCommittedOffset(++offset)
        .setCommittedMetadata("");
    var request = new TxnOffsetCommitRequestData().setTransactionalId(transactionalId)
        .setGroupId(shape.group() + transactionalId).setProducerId(producerId).setProducerEpoch(epoch).setGenerationIdOrMemberEpoch(-1)
        .setMemberId("").setTopics(List.of(
            new TxnOffsetCommitRequestTopic().setName(shape.topic()).setPartitions(List.of(partition))));
    link.ask(ApiKeys.TXN_OFFSET_COMMIT, OFFSETS_VERSION, request, TxnOffsetCommitResponseData::new, answer -> {
      var error = Errors.forCode(answer.topics().get(0).partitions().get(0).errorCode());
      if (error == Errors.NONE) {
        end();
      } else if (NOT_YET.contains(error)) {
        retries++;
        wire.after(RETRY_MS, this::commitOffset);
      } else {
        fail("offsets", error);
      }
    });
  }

  private void end() {
    long asked = System.nanoTime();
    var request = new EndTxnRequestData().setTransactionalId(transactionalId).setProducerId(producerId)
        .setProducerEpoch(epoch).setCommitted(commits);
    link.ask(ApiKeys.END_TXN, END_VERSION, request, EndTxnResponseData::new, answer -> {
      var error = Errors.forCode(answer.errorCode());
      if (error == Errors.NONE) {
        producerId = answer.producerId();
        epoch = answer.producerEpoch();
        busy = false;
        ended.done(started, asked, commits);
      } else if (error == Errors.CONCURRENT_TRANSACTIONS) {
        retries++;
        wire.after(RETRY_MS, this::end);
      } else {
        fail("end", error);
      }
    });
  }

  /** It stays busy: its figures would mean nothing. */
  private void fail(String where, Errors error) {
    failed = true;
    tally.error(where, error);
  }
}
