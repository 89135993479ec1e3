package compat;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Asks one broker a fixed list of questions and keeps each answer under the question's label. */
final class Conversation implements AutoCloseable {
    /** Builds a request for one version, null for none; {@code suffix} makes names of that version's own. */
    interface Question {
        ApiMessage at(short version, String suffix);
    }

    private final int port;
    private final AnswerText text = new AnswerText();
    private final Map<String, String> answers = new LinkedHashMap<>();
    private RawConnection connection;

    Conversation(int port) {
        this.port = port;
    }

    Map<String, String> answers() {
        return answers;
    }

    Uuid idOf(String topic) {
        return text.idOf(topic);
    }

    /** Asks in every version of the key's range; lists in the answers are compared without order. */
    void ask(String label, ApiKeys key, Question question) {
        for (short version = key.oldestVersion(); version <= key.latestVersion(); version++) {
            ApiMessage request = question.at(version, "v" + version);
            if (request != null) {
                askOnce(label, key, version, request, false);
            }
        }
    }

    void askLatest(String label, ApiKeys key, ApiMessage request) {
        askOnce(label, key, key.latestVersion(), request, false);
    }

    void askOrdered(String label, ApiKeys key, ApiMessage request) {
        askOnce(label, key, key.latestVersion(), request, true);
    }

    /** A hang-up is an answer too; a request that this version cannot carry is not sent. */
    private void askOnce(String label, ApiKeys key, short version, ApiMessage request, boolean ordered) {
        String answer;
        try {
            if (connection == null) {
                connection = new RawConnection("127.0.0.1", port);
            }
            answer = text.of(connection.ask(key, version, request), version, ordered);
        } catch (UnsupportedVersionException e) {
            return;
        } catch (IOException e) {
            connection = null;
            answer = "hangs up (" + e.getClass().getSimpleName() + ")";
        }
        answers.put(label + " | " + key + " v" + version, answer);
    }

    @Override
    public void close() throws IOException {
        if (connection != null) {
            connection.close();
        }
    }
}
