package compat;

import java.io.IOException;
import java.util.Map;

/** All that is asked of a broker, in one conversation. */
final class AllQuestions {
    private AllQuestions() {}

    /** The answers by question. */
    static Map<String, String> ask(int port) throws IOException {
        try (Conversation talk = new Conversation(port)) {
            AdminQuestions.ask(talk);
            ConfigQuestions.ask(talk);
            NodeQuestions.ask(talk);
            PlacementQuestions.ask(talk);
            return talk.answers();
        }
    }
}
