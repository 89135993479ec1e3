package compat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Asks one broker a fixed list of questions and keeps each answer under the question's label. */
final class Conversation implements AutoCloseable {
    /** Builds a request for one version, null for none; {@code suffix} makes names of that version's own. */
    interface Question {
        ApiMessage at(short version, String suffix);
    }

    private static final Set<ApiKeys> CHANGES = EnumSet.of(
            ApiKeys.CREATE_TOPICS,
            ApiKeys.DELETE_TOPICS,
            ApiKeys.CREATE_PARTITIONS,
            ApiKeys.ALTER_CONFIGS,
            ApiKeys.INCREMENTAL_ALTER_CONFIGS,
            ApiKeys.ALTER_CLIENT_QUOTAS,
            ApiKeys.UPDATE_FEATURES);

    /** A client metrics subscription; the last change to it shows how far the broker is. */
    private static final String MARK = "mark";

    private final int port;
    private final AnswerText text = new AnswerText();
    private final Map<String, String> answers = new LinkedHashMap<>();
    private RawConnection connection;
    private boolean changed;
    private int marks;

    Conversation(int port) {
        this.port = port;
    }

    Map<String, String> answers() {
        return answers;
    }

    Uuid idOf(String topic) {
        return text.idOf(topic);
    }

    /** Asks in every version of the key's range that is finished; lists in the answers are compared without order. */
    void ask(String label, ApiKeys key, Question question) {
        for (short version = key.oldestVersion(); version <= key.latestVersion(false); version++) {
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
            if (changed && !CHANGES.contains(key)) {
                settle();
            }
            ApiMessage got = connected().ask(key, version, request);
            text.learnProducer(request, got);
            answer = text.of(got, version, ordered);
            changed |= CHANGES.contains(key);
        } catch (UnsupportedVersionException e) {
            return;
        } catch (IOException e) {
            connection = null;
            answer = "hangs up (" + e.getClass().getSimpleName() + ")";
        }
        answers.put(label + " | " + key + " v" + version, answer);
    }

    /** A request whose answer is not compared: a step to where the next question makes sense. */
    ApiMessage step(ApiKeys key, int version, ApiMessage request) {
        try {
            ApiMessage answer = connected().ask(key, (short) version, request);
            text.learnProducer(request, answer);
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Finds the coordinator of a group, and asks it for offsets until it has loaded what it keeps. */
    void awaitCoordinator(String group) throws IOException {
        FindCoordinatorRequestData find = new FindCoordinatorRequestData().setCoordinatorKeys(List.of(group));
        OffsetFetchRequestGroup asked =
                new OffsetFetchRequestGroup().setGroupId(group).setTopics(null);
        OffsetFetchRequestData fetch = new OffsetFetchRequestData().setGroups(List.of(asked));
        short error;
        do {
            Await.briefly();
            FindCoordinatorResponseData found = (FindCoordinatorResponseData)
                    connected().ask(ApiKeys.FIND_COORDINATOR, ApiKeys.FIND_COORDINATOR.latestVersion(), find);
            error = found.coordinators().get(0).errorCode();
            if (error == 0) {
                OffsetFetchResponseData offsets = (OffsetFetchResponseData)
                        connected().ask(ApiKeys.OFFSET_FETCH, ApiKeys.OFFSET_FETCH.latestVersion(), fetch);
                error = offsets.groups().get(0).errorCode();
            }
        } while (error != 0);
    }

    private RawConnection connected() throws IOException {
        if (connection == null) {
            connection = new RawConnection("127.0.0.1", port);
        }
        return connection;
    }

    /**
     * Kafka answers a change when its controller has it, and shows it when the broker has it too: waits for one more change to be shown, for they come in
     * order.
     */
    private void settle() throws IOException {
        String mark = Integer.toString(++marks + 1_000);
        AlterableConfig config = new AlterableConfig().setName("interval.ms").setValue(mark);
        AlterConfigsResource resource = new AlterConfigsResource()
                .setResourceType(ConfigQuestions.CLIENT_METRICS)
                .setResourceName(MARK);
        resource.configs().add(config);
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        request.resources().add(resource);
        connected().ask(ApiKeys.INCREMENTAL_ALTER_CONFIGS, (short) 1, request);
        while (!mark.equals(shownMark())) {
            Await.briefly();
        }
        changed = false;
    }

    private String shownMark() throws IOException {
        DescribeConfigsResponseData answer = (DescribeConfigsResponseData) connected()
                .ask(
                        ApiKeys.DESCRIBE_CONFIGS,
                        (short) 4,
                        ConfigQuestions.describe(ConfigQuestions.CLIENT_METRICS, MARK));
        return answer.results().get(0).configs().stream()
                .filter(entry -> entry.name().equals("interval.ms"))
                .map(DescribeConfigsResourceResult::value)
                .findFirst()
                .orElse(null);
    }

    @Override
    public void close() throws IOException {
        if (connection != null) {
            connection.close();
        }
    }
}
