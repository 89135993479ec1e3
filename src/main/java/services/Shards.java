package services;

import common.Callback;
import common.Failure;
import common.Mailboxes;
import common.OwnerCall;
import common.OwnerId;
import common.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import replication.ReplicaShard;

/**
 * The storage shards of this node as one caller sees them: splits a request by shard, sends one message to each, and puts the answers back into the
 * order of the questions. Confined to its caller's owner.
 */
final class Shards {
    private final Mailboxes mailboxes;
    private final List<OwnerId<ReplicaShard>> owners;

    Shards(Mailboxes mailboxes, int count) {
        this.mailboxes = mailboxes;
        this.owners = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            owners.add(new OwnerId<>(ReplicaShard.class, i));
        }
    }

    int count() {
        return owners.size();
    }

    int shardOf(PartitionId partition) {
        return partition.shard(owners.size());
    }

    <T> void call(int shard, OwnerCall<ReplicaShard, T> call, long timeoutMillis, Callback<T> done) {
        mailboxes.call(owners.get(shard), call, timeoutMillis, done);
    }

    void tell(int shard, Consumer<ReplicaShard> message) {
        mailboxes.tell(owners.get(shard), message);
    }

    /** What a scattered request asks of one shard. */
    interface Ask<Q, A> {
        void on(ReplicaShard shard, List<Q> questions, Callback<List<A>> done);
    }

    /** Which partition a question is about. */
    interface PartitionOf<Q> {
        PartitionId of(Q question);
    }

    /** Turns a shard's failure to answer at all into the answer of each of its questions. */
    interface Failed<A> {
        A answer(Failure failure);
    }

    /** Sends each question to its partition's shard; {@code done} gets the answers in the order of the questions and never fails. */
    <Q, A> void scatter(
            List<Q> questions,
            PartitionOf<Q> partitionOf,
            Ask<Q, A> ask,
            Failed<A> failed,
            long timeoutMillis,
            Callback<List<A>> done) {
        scatter(questions, partitionOf, ask, failed, timeoutMillis, done, () -> {});
    }

    /** As above; {@code onFirst} is run when the first of several shards has answered. */
    <Q, A> void scatter(
            List<Q> questions,
            PartitionOf<Q> partitionOf,
            Ask<Q, A> ask,
            Failed<A> failed,
            long timeoutMillis,
            Callback<List<A>> done,
            Runnable onFirst) {
        if (questions.isEmpty()) {
            done.succeed(List.of());
            return;
        }
        int only = onlyShard(questions, partitionOf);
        if (only < 0) {
            new Scatter<>(this, questions, partitionOf, failed, done, onFirst).send(ask, timeoutMillis);
            return;
        }
        OwnerCall<ReplicaShard, List<A>> call = (shard, reply) -> ask.on(shard, questions, reply);
        call(
                only,
                call,
                timeoutMillis,
                (answers, failure) ->
                        done.succeed(failure == null ? answers : repeat(failed.answer(failure), questions.size())));
    }

    /** The one shard that all questions (at least one) go to, or -1. */
    <Q> int onlyShard(List<Q> questions, PartitionOf<Q> partitionOf) {
        if (owners.size() == 1) {
            return 0;
        }
        int shard = shardOf(partitionOf.of(questions.get(0)));
        for (int i = 1; i < questions.size(); i++) {
            if (shardOf(partitionOf.of(questions.get(i))) != shard) {
                return -1;
            }
        }
        return shard;
    }

    private static <A> List<A> repeat(A answer, int times) {
        List<A> all = new ArrayList<>(times);
        for (int i = 0; i < times; i++) {
            all.add(answer);
        }
        return all;
    }
}
