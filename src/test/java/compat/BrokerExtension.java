package compat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests one broker of this build, started once for all of them. With {@code -Dcompat.broker=kafka} it is a real Apache Kafka instead, which shows
 * whether a test asks for what Kafka does; with {@code -Dcompat.broker=cluster}, three nodes of this build.
 */
final class BrokerExtension implements ParameterResolver {
    /** Background duties run often, so that tests need not wait for them. */
    private static final List<String> PROPERTIES = List.of(
            "log.retention.check.interval.ms=300",
            "log.initial.task.delay.ms=100",
            "log.cleaner.backoff.ms=300",
            "log.flush.scheduler.interval.ms=100",
            "log.flush.offset.checkpoint.interval.ms=300",
            "group.initial.rebalance.delay.ms=0",
            "group.consumer.min.heartbeat.interval.ms=200",
            "group.consumer.heartbeat.interval.ms=200");

    private record Running(TestBroker broker) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            broker.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestBroker.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.create(BrokerExtension.class))
                .getOrComputeIfAbsent(TestBroker.class, key -> start(), Running.class)
                .broker();
    }

    private static Running start() {
        try {
            return new Running(
                    switch (System.getProperty("compat.broker", "")) {
                        case "kafka" -> PeerBroker.start(PROPERTIES);
                        case "cluster" -> ClusterOfThisBuild.start(PROPERTIES);
                        default -> BrokerOfThisBuild.start(PROPERTIES);
                    });
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
