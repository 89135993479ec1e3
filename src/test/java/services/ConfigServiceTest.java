package services;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import metadata.ConfigTarget;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class ConfigServiceTest {
    private static final int NODE = 1;
    private static final byte SET = 0;
    private static final byte DELETE = 1;
    private static final byte APPEND = 2;

    private final HeldMailboxes mailboxes = new HeldMailboxes();
    private final FakeController controller = new FakeController();
    private final TreeMap<String, String> levels = new TreeMap<>();
    private final ConfigService service = new ConfigService(mailboxes, null, new Levels(), NODE, 1_000);
    private final List<String> answers = new ArrayList<>();

    @Test
    void refusesResourcesThatAreNotHere() {
        MetadataImage image = new ClusterImages().image();
        assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, describe(image, ConfigTarget.TOPIC, "nobody"));
        assertEquals(Errors.INVALID_TOPIC_EXCEPTION, describe(image, ConfigTarget.TOPIC, "b@d"));
        assertEquals(Errors.INVALID_REQUEST, describe(image, ConfigTarget.BROKER, "7"));
        assertEquals(Errors.INVALID_REQUEST, describe(image, ConfigTarget.BROKER, "one"));
        assertEquals(Errors.INVALID_REQUEST, describe(image, ConfigTarget.BROKER_LOGGER, ""));
        assertEquals(Errors.INVALID_REQUEST, describe(image, ConfigTarget.CLIENT_METRICS, ""));
        assertEquals(Errors.INVALID_REQUEST, describe(image, ConfigTarget.GROUP, ""));
        assertEquals(Errors.INVALID_REQUEST, describe(image, (byte) 3, "x"));
    }

    @Test
    void showsLoggersOfThisNode() {
        levels.put("storage", "INFO");
        levels.put("root", "WARN");
        MetadataImage image = new ClusterImages().image();
        ConfigTarget target = new ConfigTarget(ConfigTarget.BROKER_LOGGER, "1");
        ConfigService.Described all = service.describe(image, new ConfigService.Wanted(target, null));
        assertEquals(2, all.entries().size());
        ConfigService.Described one =
                service.describe(image, new ConfigService.Wanted(target, List.of("storage", "x")));
        assertEquals("INFO", one.entries().get(0).value());
        assertEquals(1, one.entries().size());
    }

    @Test
    void answersInTheOrderOfTheRequest() {
        levels.put("storage", "INFO");
        controller.answering(new IncrementalAlterConfigsResponseData()
                .setResponses(new ArrayList<>(List.of(
                        answer(ConfigTarget.TOPIC, "t2", Errors.INVALID_CONFIG),
                        answer(ConfigTarget.TOPIC, "t1", Errors.NONE)))));
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        add(request, ConfigTarget.BROKER, "7", "k", SET, "v");
        add(request, ConfigTarget.TOPIC, "t1", "k", SET, "v");
        add(request, ConfigTarget.BROKER_LOGGER, "1", "storage", SET, "DEBUG");
        add(request, ConfigTarget.TOPIC, "t2", "k", SET, "v");
        add(request, ConfigTarget.TOPIC, "unanswered", "k", SET, "v");
        alter(request);
        mailboxes.deliver(controller.asController());
        assertEquals(
                List.of(
                        "7 INVALID_REQUEST",
                        "t1 NONE",
                        "1 NONE",
                        "t2 INVALID_CONFIG",
                        "unanswered UNKNOWN_SERVER_ERROR"),
                answers);
        assertEquals("DEBUG", levels.get("storage"));
        IncrementalAlterConfigsRequestData passedOn =
                (IncrementalAlterConfigsRequestData) controller.requests().get(0);
        assertEquals(3, passedOn.resources().size());
    }

    @Test
    void asksNoControllerForLoggersAlone() {
        levels.put("storage", "INFO");
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData().setValidateOnly(true);
        add(request, ConfigTarget.BROKER_LOGGER, "1", "storage", SET, "DEBUG");
        alter(request);
        assertEquals(List.of("1 NONE"), answers);
        assertEquals("INFO", levels.get("storage"), "only validated");
    }

    @Test
    void refusesLevelsWholeOrNotAtAll() {
        levels.put("storage", "INFO");
        levels.put("root", "INFO");
        assertEquals("1 INVALID_CONFIG", level("storage", SET, "LOUD"));
        assertEquals("1 INVALID_CONFIG", level("nobody", SET, "INFO"));
        assertEquals("1 INVALID_REQUEST", level("root", DELETE, null));
        assertEquals("1 INVALID_REQUEST", level("storage", APPEND, "INFO"));
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        add(request, ConfigTarget.BROKER_LOGGER, "1", "storage", SET, "DEBUG");
        request.resources().iterator().next().configs().add(config("root", SET, "LOUD"));
        alter(request);
        assertEquals("INFO", levels.get("storage"));
    }

    @Test
    void replacesWithoutLoggers() {
        controller.answering(new AlterConfigsResponseData());
        AlterConfigsRequestData request = new AlterConfigsRequestData();
        request.resources()
                .add(new AlterConfigsRequestData.AlterConfigsResource()
                        .setResourceType(ConfigTarget.BROKER_LOGGER)
                        .setResourceName("1"));
        service.replace(
                request,
                (answer, failure) -> answer.responses()
                        .forEach(each -> answers.add(each.resourceName() + " " + Errors.forCode(each.errorCode()))));
        assertEquals(List.of("1 INVALID_REQUEST"), answers);
        assertEquals(0, mailboxes.waiting());
    }

    @Test
    void listsResources() {
        MetadataImage image = new ClusterImages()
                .broker(NODE, false, "PLAINTEXT", "h", 1)
                .topic("t", new Uuid(1, 1), 1, 1)
                .config(ConfigTarget.CLIENT_METRICS, "sub", "interval.ms", "1000")
                .config(ConfigTarget.GROUP, "g", "consumer.session.timeout.ms", "50000")
                .image();
        assertEquals(
                List.of("2 t", "4 1", "8 1", "16 sub", "32 g"),
                service.list(image, List.of()).resources().stream()
                        .map(target -> target.type() + " " + target.name())
                        .toList());
        assertEquals(
                1, service.list(image, List.of(ConfigTarget.GROUP)).resources().size());
        assertEquals(
                Errors.UNSUPPORTED_VERSION,
                service.list(image, List.of((byte) 3)).error());
    }

    private Errors describe(MetadataImage image, byte type, String name) {
        return service.describe(image, new ConfigService.Wanted(new ConfigTarget(type, name), null))
                .error();
    }

    private String level(String logger, byte operation, String level) {
        answers.clear();
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        add(request, ConfigTarget.BROKER_LOGGER, "1", logger, operation, level);
        alter(request);
        return answers.get(0);
    }

    private void alter(IncrementalAlterConfigsRequestData request) {
        service.alter(
                request,
                (answer, failure) -> answer.responses()
                        .forEach(each -> answers.add(each.resourceName() + " " + Errors.forCode(each.errorCode()))));
    }

    private static void add(
            IncrementalAlterConfigsRequestData request,
            byte type,
            String name,
            String key,
            byte operation,
            String value) {
        AlterConfigsResource resource =
                new AlterConfigsResource().setResourceType(type).setResourceName(name);
        resource.configs().add(config(key, operation, value));
        request.resources().add(resource);
    }

    private static AlterableConfig config(String key, byte operation, String value) {
        return new AlterableConfig().setName(key).setConfigOperation(operation).setValue(value);
    }

    private static AlterConfigsResourceResponse answer(byte type, String name, Errors error) {
        return new AlterConfigsResourceResponse()
                .setResourceType(type)
                .setResourceName(name)
                .setErrorCode(error.code());
    }

    private final class Levels implements LogLevels {
        @Override
        public List<Level> all() {
            return levels.entrySet().stream()
                    .map(entry -> new Level(entry.getKey(), entry.getValue()))
                    .toList();
        }

        @Override
        public boolean exists(String logger) {
            return levels.containsKey(logger);
        }

        @Override
        public void set(String logger, String level) {
            levels.put(logger, level);
        }
    }
}
