package services;

import common.Callback;
import common.Failure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import metadata.MetadataImage;

/**
 * A request about several groups under way: one message for each partition that keeps some of them, and the answers put back into the order of the questions. A
 * coordinator that fails takes none of the others' answers away. Confined to the caller's owner.
 */
final class GroupSpread<Q, A> {
    private final List<Q> questions;
    private final List<A> answers;
    private final BiFunction<Q, Failure, A> failed;
    private final Callback<List<A>> done;
    private final Map<Integer, List<Integer>> places = new TreeMap<>();
    private int pending;

    /** Asks the coordinator of the first one's group, which is that of all; the answers in the same order. */
    interface Ask<Q, A> {
        void part(List<Q> questions, Callback<List<A>> done);
    }

    /**
     * @param failed the answer to a question whose coordinator failed
     * @param done never fails
     */
    GroupSpread(List<Q> questions, BiFunction<Q, Failure, A> failed, Callback<List<A>> done) {
        this.questions = questions;
        this.answers = new ArrayList<>(Collections.nCopies(questions.size(), null));
        this.failed = failed;
        this.done = done;
    }

    void send(MetadataImage image, Function<Q, String> groupOf, Ask<Q, A> ask) {
        send(question -> GroupCoordinators.partitionOf(groupOf.apply(question), image), ask);
    }

    /** @param partitionOf of the coordinator's topic; those of one partition are asked together */
    void send(ToIntFunction<Q> partitionOf, Ask<Q, A> ask) {
        for (int i = 0; i < questions.size(); i++) {
            int partition = partitionOf.applyAsInt(questions.get(i));
            places.computeIfAbsent(partition, none -> new ArrayList<>()).add(i);
        }
        pending = places.size();
        if (pending == 0) {
            done.succeed(answers);
        }
        for (List<Integer> at : List.copyOf(places.values())) {
            ask.part(at.stream().map(questions::get).toList(), (part, failure) -> gather(at, part, failure));
        }
    }

    private void gather(List<Integer> at, List<A> part, Failure failure) {
        for (int i = 0; i < at.size(); i++) {
            int place = at.get(i);
            answers.set(place, failure == null ? part.get(i) : failed.apply(questions.get(place), failure));
        }
        if (--pending == 0) {
            done.succeed(answers);
        }
    }
}
