package compat;

import java.io.IOException;

/** Prints a broker's answers, to look at by eye: {@code java compat.ConversationMain PORT [PORT]}; with two, where they differ. */
public final class ConversationMain {
    private ConversationMain() {}

    public static void main(String[] arguments) throws IOException {
        Conversation first = hold(Integer.parseInt(arguments[0]));
        if (arguments.length == 1) {
            first.answers().forEach((label, answer) -> System.out.println(label + "\n    " + answer));
            return;
        }
        Conversation second = hold(Integer.parseInt(arguments[1]));
        System.out.println(AnswerDifference.between(first.answers(), second.answers()));
    }

    private static Conversation hold(int port) throws IOException {
        try (Conversation talk = new Conversation(port)) {
            AdminQuestions.ask(talk);
            ConfigQuestions.ask(talk);
            NodeQuestions.ask(talk);
            return talk;
        }
    }
}
