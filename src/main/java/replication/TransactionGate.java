package replication;

import common.Failure;
import common.FailureCode;
import common.Mutations;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import records.BatchHeader;
import storage.ActiveProducer;
import storage.PartitionLog;

/**
 * Keeps late batches of transactions out of one partition (KIP-890, rule T5): the first batch of a transaction here is appended only when the transaction
 * coordinator confirms that it is open. A producer's batches that come meanwhile wait behind it, in order (rule P5); a marker that comes meanwhile makes the
 * answer worthless, so the coordinator is asked anew. What waits is bounded. Confined to the shard.
 */
public final class TransactionGate {
    /** A producer has at most five in flight; more come from one that is no proper client, or from several of its kind. */
    private static final int MOST_PER_PRODUCER = 20;

    /** First version of Produce whose clients know TRANSACTION_ABORTABLE (KIP-890). */
    private static final short KNOWS_ABORTABLE = 11;
    /** First version by which a batch takes its partition into the transaction (V2). */
    private static final short ADDS_PARTITION = 12;

    private final PartitionLog log;
    private final TransactionVerifier verifier;
    private final TopicPartition partition;
    private final Mutations mutations;
    private final int maxWaitingBytes;
    /** By producer; null while there was none yet, as in most partitions. */
    private Map<Long, Line> lines;

    private long waitingBytes;
    private boolean closed;

    /** Told once whether the batch may be appended, at that moment: null, or why not. */
    @FunctionalInterface
    interface Passage {
        void done(Failure refusal);
    }

    /** @param transactionalId of the request */
    record Ticket(String transactionalId, short version, ByteBuffer batch, Passage passage) {
        short epoch() {
            return BatchHeader.producerEpoch(batch, batch.position());
        }

        boolean adds() {
            return version >= ADDS_PARTITION;
        }
    }

    /** Batches of one producer; the first is being verified. */
    private static final class Line {
        final ArrayDeque<Ticket> tickets = new ArrayDeque<>(1);
        /** What the answer under way is worth: false once a marker has come. */
        boolean guarded;

        boolean asking;
    }

    /** @param maxWaitingBytes most bytes of batches that wait; a single larger one may */
    public TransactionGate(
            PartitionLog log,
            TransactionVerifier verifier,
            TopicPartition partition,
            Mutations mutations,
            int maxWaitingBytes) {
        this.log = log;
        this.verifier = verifier;
        this.partition = partition;
        this.mutations = mutations;
        this.maxWaitingBytes = maxWaitingBytes;
    }

    /** A transactional batch that passed admission. */
    void enter(Ticket ticket) {
        long producerId = BatchHeader.producerId(ticket.batch, ticket.batch.position());
        Line line = line(producerId);
        if (line == null && passes(producerId, ticket.epoch())) {
            ticket.passage.done(null);
            return;
        }
        int bytes = ticket.batch.remaining();
        boolean full = (waitingBytes > 0 && waitingBytes + bytes > maxWaitingBytes)
                || (line != null && line.tickets.size() >= MOST_PER_PRODUCER);
        if (full) {
            if (line == null) {
                log.refused(ticket.batch);
            }
            ticket.passage.done(Failure.of(
                    FailureCode.OVERLOADED,
                    waitingBytes + " bytes of transactional batches wait for the transaction coordinator already"));
            return;
        }
        waitingBytes += bytes;
        if (line == null) {
            line = new Line();
            lines = lines == null ? new TreeMap<>() : lines;
            lines.put(producerId, line);
        }
        line.tickets.add(ticket);
        if (line.tickets.size() == 1) {
            advance(producerId, line);
        }
    }

    private Line line(long producerId) {
        return lines == null ? null : lines.get(producerId);
    }

    /** Its transaction is open here, so it was verified; or it is past, and the log refuses it by its epoch. */
    private boolean passes(long producerId, short epoch) {
        if (mutations.active("unverified-append")) {
            return true;
        }
        ActiveProducer known = log.producer(producerId);
        boolean open = known != null && known.currentTransactionStartOffset() >= 0 && known.producerEpoch() == epoch;
        return open || (known != null && epoch < known.producerEpoch());
    }

    /** The producer, if it has a transaction open here of an epoch below {@code epoch}; null else. */
    ActiveProducer openBefore(long producerId, int epoch) {
        ActiveProducer known = log.producer(producerId);
        boolean open = known != null && known.currentTransactionStartOffset() >= 0 && known.producerEpoch() < epoch;
        return open && !mutations.active("lost-end-kept") ? known : null;
    }

    /** Lets all pass that may, then asks for the next one. */
    private void advance(long producerId, Line line) {
        if (line.asking) {
            return;
        }
        line.asking = true;
        while (!line.tickets.isEmpty()
                && !closed
                && passes(producerId, line.tickets.peek().epoch())) {
            leave(line).passage.done(null);
        }
        if (line.tickets.isEmpty() || closed) {
            lines.remove(producerId, line);
            return;
        }
        Ticket head = line.tickets.peek();
        line.guarded = true;
        verifier.verify(head.transactionalId, producerId, head.epoch(), partition, head.adds(), (error, failure) -> {
            line.asking = false;
            verified(producerId, line, failure == null ? error : Errors.COORDINATOR_NOT_AVAILABLE);
        });
    }

    private Ticket leave(Line line) {
        Ticket head = line.tickets.poll();
        waitingBytes -= head.batch.remaining();
        return head;
    }

    private void verified(long producerId, Line line, Errors error) {
        if (closed) {
            return;
        }
        if (error != Errors.NONE) {
            refuse(line, error);
        } else if (line.guarded) {
            Ticket head = line.tickets.peek();
            // Of its own transaction nothing is here yet, and each transaction of V2 begins with 0: what came before it
            // is lost or late (rule P2).
            boolean late = head.adds()
                    && BatchHeader.baseSequence(head.batch, head.batch.position()) != 0
                    && log.producer(producerId) == null;
            leave(line)
                    .passage
                    .done(
                            late
                                    ? Failure.of(
                                            FailureCode.OUT_OF_ORDER_SEQUENCE,
                                            "the first batch of the transaction in this partition must have sequence 0")
                                    : null);
        }
        advance(producerId, line);
    }

    /** All of the same transaction that wait: none may overtake the first. */
    private void refuse(Line line, Errors error) {
        Ticket head = line.tickets.peek();
        short epoch = head.epoch();
        Failure why = explained(error, head);
        if (why.code() == FailureCode.NOT_ENOUGH_REPLICAS || why.code() == FailureCode.CONCURRENT_TRANSACTIONS) {
            log.refused(head.batch);
        }
        // While they are told the line stands: what they send in return waits behind it.
        line.asking = true;
        int count = line.tickets.size();
        for (int i = 0;
                i < count && !line.tickets.isEmpty() && line.tickets.peek().epoch() == epoch;
                i++) {
            Ticket each = leave(line);
            each.passage.done(explained(error, each));
        }
        line.asking = false;
    }

    /** In what words a producer of this version expects it; as Apache Kafka. */
    private static Failure explained(Errors error, Ticket ticket) {
        String asked = "the transaction coordinator answered " + error.name();
        return switch (error) {
            case TRANSACTION_ABORTABLE ->
                Failure.of(
                        ticket.version < KNOWS_ABORTABLE
                                ? FailureCode.INVALID_TXN_STATE
                                : FailureCode.TRANSACTION_ABORTABLE,
                        "the partition is not part of an open transaction of this producer");
            case INVALID_TXN_STATE ->
                Failure.of(FailureCode.INVALID_TXN_STATE, "the partition was not added to the transaction");
            case PRODUCER_FENCED, INVALID_PRODUCER_EPOCH ->
                Failure.of(FailureCode.INVALID_PRODUCER_EPOCH, "the producer is not the newest of its id: " + asked);
            case INVALID_PRODUCER_ID_MAPPING ->
                Failure.of(FailureCode.INVALID_PRODUCER_ID_MAPPING, "the producer id is not that of the id: " + asked);
            case CONCURRENT_TRANSACTIONS ->
                Failure.of(
                        ticket.adds() ? FailureCode.CONCURRENT_TRANSACTIONS : FailureCode.NOT_ENOUGH_REPLICAS,
                        "the former transaction has not ended yet; retry");
            case NETWORK_EXCEPTION, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR ->
                // It makes old producers retry without looking for the leader anew.
                Failure.of(FailureCode.NOT_ENOUGH_REPLICAS, "the transaction could not be verified: " + asked);
            default -> Failure.of(FailureCode.INTERNAL, "the transaction could not be verified: " + asked);
        };
    }

    /**
     * A marker comes to the partition: what is being verified of the transaction that it ends, or of one before, must be verified anew.
     *
     * @param above the marker's epoch is above that of its transaction (V2)
     */
    void marker(long producerId, short markerEpoch, boolean above) {
        Line line = line(producerId);
        if (line != null && !line.tickets.isEmpty() && !mutations.active("unguarded-append")) {
            short epoch = line.tickets.peek().epoch();
            line.guarded &= above ? epoch >= markerEpoch : epoch > markerEpoch;
        }
    }

    /** The partition is not led here any more. */
    void close(Failure why) {
        closed = true;
        if (lines == null) {
            return;
        }
        for (Line line : List.copyOf(lines.values())) {
            while (!line.tickets.isEmpty()) {
                leave(line).passage.done(why);
            }
        }
        lines.clear();
    }
}
