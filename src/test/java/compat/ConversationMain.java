package compat;

import java.io.IOException;
import java.util.Map;

/** Prints a broker's answers, to look at by eye: {@code java compat.ConversationMain PORT [PORT]}; with two, where they differ. */
public final class ConversationMain {
    private ConversationMain() {}

    public static void main(String[] arguments) throws IOException {
        Map<String, String> first = AllQuestions.ask(Integer.parseInt(arguments[0]));
        if (arguments.length == 1) {
            first.forEach((label, answer) -> System.out.println(label + "\n    " + answer));
            return;
        }
        System.out.println(AnswerDifference.between(first, AllQuestions.ask(Integer.parseInt(arguments[1]))));
    }
}
