package services;

import common.Callback;
import common.Failure;
import java.util.ArrayList;
import java.util.List;

/** One request under way to several shards: gathers their answers in the order of the questions. Confined to the caller's owner. */
final class Scatter<Q, A> {
    private final Shards shards;
    private final List<List<Q>> questions = new ArrayList<>();
    private final List<List<Integer>> places = new ArrayList<>();
    private final List<A> answers;
    private final Shards.Failed<A> failed;
    private final Callback<List<A>> done;
    private final Runnable onFirst;
    private int pending;
    private boolean answered;

    Scatter(
            Shards shards,
            List<Q> all,
            Shards.PartitionOf<Q> partitionOf,
            Shards.Failed<A> failed,
            Callback<List<A>> done,
            Runnable onFirst) {
        this.onFirst = onFirst;
        this.shards = shards;
        this.failed = failed;
        this.done = done;
        this.answers = new ArrayList<>(all.size());
        for (int shard = 0; shard < shards.count(); shard++) {
            questions.add(new ArrayList<>());
            places.add(new ArrayList<>());
        }
        for (int i = 0; i < all.size(); i++) {
            int shard = shards.shardOf(partitionOf.of(all.get(i)));
            questions.get(shard).add(all.get(i));
            places.get(shard).add(i);
            answers.add(null);
        }
    }

    void send(Shards.Ask<Q, A> ask, long timeoutMillis) {
        for (List<Q> of : questions) {
            pending += of.isEmpty() ? 0 : 1;
        }
        for (int shard = 0; shard < questions.size(); shard++) {
            List<Q> mine = questions.get(shard);
            if (!mine.isEmpty()) {
                int from = shard;
                Callback<List<A>> gather = (values, failure) -> gather(from, values, failure);
                shards.call(shard, (owner, reply) -> ask.on(owner, mine, reply), timeoutMillis, gather);
            }
        }
    }

    private void gather(int shard, List<A> values, Failure failure) {
        List<Integer> at = places.get(shard);
        for (int i = 0; i < at.size(); i++) {
            answers.set(at.get(i), failure == null ? values.get(i) : failed.answer(failure));
        }
        if (--pending == 0) {
            done.succeed(answers);
        } else if (!answered) {
            answered = true;
            onFirst.run();
        }
    }
}
