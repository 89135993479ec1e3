package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.PartitionId;
import coordinator.Coordinator.ProducerTransaction;
import coordinator.PartitionStore;
import coordinator.RecordCodec;
import coordinator.TransactionEnd;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.ControlBatches;
import replication.LeaderReplica;
import storage.ActiveProducer;
import storage.BatchOrigin;
import storage.DiskExecutor.Lane;
import storage.OffsetRange;
import storage.PartitionLog;
import storage.ProducerVerdict;
import storage.ReadBound;

/**
 * A partition of the storage shard on the same loop, as the coordinator that leads it in one epoch uses it. The replica is looked up at each call: its log may be
 * opened late, or be gone. Confined to the loop.
 */
final class InternalPartition implements PartitionStore {
    private static final Logger LOG = LoggerFactory.getLogger(InternalPartition.class);
    private static final int FALLBACK_BATCH_BYTES = 1 << 20;

    private final PartitionTable partitions;
    private final PartitionId id;
    private final int leaderEpoch;

    InternalPartition(PartitionTable partitions, PartitionId id, int leaderEpoch) {
        this.partitions = partitions;
        this.id = id;
        this.leaderEpoch = leaderEpoch;
    }

    @Override
    public int maxBatchBytes() {
        LeaderReplica replica = partitions.get(id);
        return replica == null ? FALLBACK_BATCH_BYTES : replica.log().config().maxMessageBytes();
    }

    @Override
    public Failure refusal() {
        LeaderReplica replica = partitions.get(id);
        Failure fenced = fenced(replica);
        return fenced != null ? fenced : replica.log().appendRefusal();
    }

    private Failure fenced(LeaderReplica replica) {
        return replica == null ? partitions.failureOf(id) : replica.checkEpoch(leaderEpoch);
    }

    @Override
    public void append(ByteBuffer batch, Callback<Void> done) {
        LeaderReplica replica = partitions.get(id);
        if (replica == null) {
            done.fail(partitions.failureOf(id));
        } else {
            replica.appendOwn(
                    batch, BatchOrigin.COORDINATOR, leaderEpoch, (appended, failure) -> done.done(null, failure));
        }
    }

    @Override
    public void appendMarker(TransactionEnd end, Callback<Void> done) {
        LeaderReplica replica = partitions.get(id);
        if (replica == null) {
            done.fail(partitions.failureOf(id));
        } else {
            replica.appendOwn(batch(end), origin(end), leaderEpoch, (appended, failure) -> done.done(null, failure));
        }
    }

    private ByteBuffer batch(TransactionEnd end) {
        return ControlBatches.transactionMarker(
                partitions.wallMillis(), end.producerId(), end.producerEpoch(), end.commit(), end.coordinatorEpoch());
    }

    private static BatchOrigin origin(TransactionEnd end) {
        return end.above() ? BatchOrigin.MARKER_V2 : BatchOrigin.MARKER;
    }

    @Override
    public MarkerVerdict verdictOn(TransactionEnd end) {
        LeaderReplica replica = partitions.get(id);
        Failure fenced = fenced(replica);
        if (fenced != null) {
            return new MarkerVerdict(MarkerVerdict.Decision.REFUSED, fenced);
        }
        ProducerVerdict verdict = replica.log().verdictOn(batch(end), origin(end));
        return switch (verdict.kind()) {
            case OK -> new MarkerVerdict(MarkerVerdict.Decision.OK, null);
            case DUPLICATE -> new MarkerVerdict(MarkerVerdict.Decision.REPEATED, null);
            case REFUSED -> new MarkerVerdict(MarkerVerdict.Decision.REFUSED, verdict.failure());
        };
    }

    @Override
    public Producer producer(long producerId) {
        LeaderReplica replica = partitions.get(id);
        ActiveProducer known = replica == null ? null : replica.log().producer(producerId);
        return known == null ? null : new Producer(known.producerEpoch(), known.currentTransactionStartOffset() >= 0);
    }

    @Override
    public void verify(ProducerTransaction transaction, Callback<Void> done) {
        LeaderReplica replica = partitions.get(id);
        Failure fenced = fenced(replica);
        if (fenced != null) {
            done.fail(fenced);
            return;
        }
        partitions
                .roles()
                .verifier()
                .verify(
                        transaction.transactionalId(),
                        transaction.producerId(),
                        transaction.producerEpoch(),
                        new TopicPartition(replica.log().identity().topic(), id.partition()),
                        transaction.add(),
                        (error, failure) -> done.done(
                                null, unverified(failure == null ? error : Errors.COORDINATOR_NOT_AVAILABLE)));
    }

    /** null for NONE. */
    private static Failure unverified(Errors error) {
        FailureCode code = switch (error) {
            case NONE -> null;
            case TRANSACTION_ABORTABLE -> FailureCode.TRANSACTION_ABORTABLE;
            case INVALID_TXN_STATE -> FailureCode.INVALID_TXN_STATE;
            case PRODUCER_FENCED, INVALID_PRODUCER_EPOCH -> FailureCode.INVALID_PRODUCER_EPOCH;
            case INVALID_PRODUCER_ID_MAPPING -> FailureCode.INVALID_PRODUCER_ID_MAPPING;
            case CONCURRENT_TRANSACTIONS -> FailureCode.CONCURRENT_TRANSACTIONS;
            case COORDINATOR_LOAD_IN_PROGRESS, NETWORK_EXCEPTION -> FailureCode.COORDINATOR_LOADING;
            // Of the transaction's coordinator, not of the one that was asked.
            case COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> FailureCode.COORDINATOR_NOT_AVAILABLE;
            default -> FailureCode.INTERNAL;
        };
        return code == null
                ? null
                : Failure.of(code, "the transaction could not be verified: its coordinator answered " + error.name());
    }

    @Override
    public <R> void load(long offset, int maxBytes, RecordCodec<R> codec, Callback<Piece<R>> done) {
        LeaderReplica replica = partitions.get(id);
        Failure fenced = fenced(replica);
        if (fenced != null) {
            done.fail(fenced);
        } else if (offset == 0) {
            replica.commitWritten((none, failure) -> {
                if (failure != null) {
                    done.fail(failure);
                } else {
                    read(replica, offset, maxBytes, codec, done);
                }
            });
        } else {
            read(replica, offset, maxBytes, codec, done);
        }
    }

    private <R> void read(
            LeaderReplica replica, long offset, int maxBytes, RecordCodec<R> codec, Callback<Piece<R>> done) {
        PartitionLog log = replica.log();
        long from = Math.max(offset, log.logStartOffset());
        long end = log.logEndOffset();
        OffsetRange damage = damageFrom(log, from);
        if (damage != null && damage.from() <= from) {
            done.succeed(damaged(damage, end));
            return;
        }
        if (from >= end) {
            done.succeed(new Piece<>(List.of(), from, end, 0, 0, List.of()));
            return;
        }
        log.read(from, maxBytes, true, ReadBound.LOG_END, (result, failure) -> {
            if (failure != null) {
                // A reader that meets rot first finds out how far it goes: the coordinator passes over it (rule S8).
                OffsetRange met = failure.code() == FailureCode.CORRUPT_BATCH ? damageFrom(log, from) : null;
                if (met != null && met.from() <= from) {
                    done.succeed(damaged(met, end));
                } else {
                    done.fail(failure);
                }
            } else if (result.range() == null) {
                // Nothing more before the damage, or before the end.
                if (damage == null) {
                    LOG.warn(
                            "{}: there is nothing to read between offset {} and the log's end {}: compacted away, or damaged",
                            log.identity().directory(),
                            from,
                            end);
                }
                done.succeed(damage != null ? damaged(damage, end) : new Piece<>(List.of(), end, end, 0, 0, List.of()));
            } else {
                LoadPiece<R> job = new LoadPiece<>(result.range(), from, end, codec);
                partitions.directoryOf(id).disk().run(Lane.BLOCKING, job, (piece, unread) -> {
                    result.range().release();
                    if (unread == null && piece.nextOffset() <= from) {
                        examine(replica, from, maxBytes, codec, done);
                    } else {
                        done.done(piece, unread);
                    }
                });
            }
        });
    }

    @Override
    public <T> void compute(Supplier<T> work, Callback<T> done) {
        LeaderReplica replica = partitions.get(id);
        if (replica == null) {
            done.fail(partitions.failureOf(id));
        } else {
            partitions.directoryOf(id).disk().run(Lane.CPU, files -> work.get(), done);
        }
    }

    /** Nothing valid is in the range that begins there, at the end of a segment as a rule: what comes behind it is sound until the contrary is known. */
    private <R> void examine(
            LeaderReplica replica, long from, int maxBytes, RecordCodec<R> codec, Callback<Piece<R>> done) {
        replica.log().examine(from, (found, failure) -> {
            if (failure == null && found) {
                read(replica, from, maxBytes, codec, done);
            } else {
                done.fail(
                        failure != null
                                ? failure
                                : Failure.of(
                                        FailureCode.CORRUPT_BATCH, "no valid batch can be read at offset " + from));
            }
        });
    }

    /** The damage at or behind an offset; null for none. */
    private static OffsetRange damageFrom(PartitionLog log, long offset) {
        for (OffsetRange each : log.damagedOffsets()) {
            if (each.to() > offset) {
                return each;
            }
        }
        return null;
    }

    private static <R> Piece<R> damaged(OffsetRange damage, long end) {
        String loss = "offsets " + damage.from() + " to " + (damage.to() - 1) + " are damaged on the disk";
        return new Piece<>(List.of(), damage.to(), end, 0, 0, List.of(loss));
    }
}
