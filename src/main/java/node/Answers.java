package node;

import common.Callback;
import java.util.ArrayList;
import java.util.List;

/** Gathers one answer per question, in the order of the questions. Confined to its owner. */
final class Answers<A> {
    private final List<A> answers;
    private final Callback<List<A>> done;
    private int left;

    Answers(int count, Callback<List<A>> done) {
        this.answers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            answers.add(null);
        }
        this.left = count;
        this.done = done;
        if (count == 0) {
            done.succeed(answers);
        }
    }

    void put(int index, A answer) {
        answers.set(index, answer);
        if (--left == 0) {
            done.succeed(answers);
        }
    }

    /** Takes the answer to question {@code index}; never a failure. */
    Callback<A> at(int index) {
        return (answer, failure) -> put(index, answer);
    }
}
