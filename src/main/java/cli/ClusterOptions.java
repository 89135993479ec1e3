package cli;

import java.io.IOException;
import java.io.Reader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import picocli.CommandLine.Option;

/** Which cluster to talk to, and the clients made for it. */
final class ClusterOptions {

    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final int DEFAULT_PORT = 9092;

    @Option(
            names = {"-b", "--bootstrap-server"},
            paramLabel = "HOST:PORT",
            defaultValue = "${env:HIGHWATER_BOOTSTRAP:-127.0.0.1:9092}",
            description = "Broker to ask first (several: comma). Default: HIGHWATER_BOOTSTRAP or 127.0.0.1:9092.")
    private String bootstrap;

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            description = "Client settings, such as security ones, in a properties file.")
    private Path settingsFile;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "How long to wait for the broker (default: ${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    Admin admin() {
        Properties settings = settings(Map.of());
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, timeoutMillis());
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, timeoutMillis());
        return Admin.create(settings);
    }

    KafkaProducer<byte[], byte[]> producer(Map<String, String> wishes) {
        Properties settings = settings(wishes);
        settings.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeoutMillis());
        settings.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, timeoutMillis());
        settings.putIfAbsent(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, String.valueOf(timeoutSeconds * 500L));
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    KafkaConsumer<byte[], byte[]> consumer(Map<String, String> wishes) {
        Properties settings = settings(wishes);
        settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, timeoutMillis());
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private String timeoutMillis() {
        return String.valueOf(timeoutSeconds * 1000L);
    }

    /** {@code wishes} win over the file, the command line's bootstrap over both. */
    private Properties settings(Map<String, String> wishes) {
        Properties settings = new Properties();
        if (settingsFile != null) {
            try (Reader reader = Files.newBufferedReader(settingsFile)) {
                settings.load(reader);
            } catch (IOException problem) {
                throw new CliFailure(
                        "cannot read --command-config " + settingsFile + ": "
                                + problem.getClass().getSimpleName(),
                        "");
            }
        }
        settings.putAll(wishes);
        settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(AdminClientConfig.CLIENT_ID_CONFIG, "highwater-cli");
        settings.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        requireReachable();
        return settings;
    }

    /** The client library would try for a minute and then not say why; one plain connection tells at once. */
    private void requireReachable() {
        String last = "no address given";
        for (String server : List.of(bootstrap.split(",", -1))) {
            last = connectProblem(server.trim());
            if (last == null) {
                return;
            }
        }
        throw new CliFailure(
                "cannot reach a broker at " + bootstrap + ": " + last,
                "Is it running? Start one with: highwater start. Or name another: --bootstrap-server HOST:PORT"
                        + " (or HIGHWATER_BOOTSTRAP).");
    }

    /** Why a connection to {@code server} fails; null if it does not. */
    private static String connectProblem(String server) {
        int colon = server.lastIndexOf(':');
        String host = colon < 0 || server.endsWith("]") ? server : server.substring(0, colon);
        int port = DEFAULT_PORT;
        try {
            if (!host.equals(server)) {
                port = Integer.parseInt(server.substring(colon + 1));
            }
            InetSocketAddress address =
                    new InetSocketAddress(host.replace("[", "").replace("]", ""), port);
            if (address.isUnresolved()) {
                return "the host name '" + host + "' is unknown";
            }
            try (Socket socket = new Socket()) {
                socket.connect(address, CONNECT_TIMEOUT_MS);
            }
            return null;
        } catch (IllegalArgumentException problem) {
            return "'" + server + "' is not HOST:PORT";
        } catch (IOException problem) {
            String text = problem.getMessage();
            return text == null ? problem.getClass().getSimpleName() : text;
        }
    }
}
