package verticles;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** The command line of the broker process. */
final class StartOptions {
    static final String USAGE = """
            usage: highwater start [--config FILE] [--override KEY=VALUE]...
              --config FILE          settings in Kafka's server.properties form; without it: one node on 127.0.0.1:9092
              --override KEY=VALUE   one setting that wins over the file; may be repeated
            examples:
              highwater start
              highwater start --override log.dirs=/var/lib/highwater --override listeners=PLAINTEXT://0.0.0.0:9092
            """;

    private final Map<String, String> overrides = new TreeMap<>();
    private Path file;
    private boolean help;

    private StartOptions() {}

    /** @throws StartException if the arguments make no sense */
    static StartOptions parse(String... arguments) {
        StartOptions options = new StartOptions();
        int next = 0;
        while (next < arguments.length) {
            String argument = arguments[next++];
            int equals = argument.indexOf('=');
            boolean joined = argument.startsWith("--") && equals > 0;
            String name = joined ? argument.substring(0, equals) : argument;
            switch (name) {
                case "--help", "-h" -> options.help = true;
                case "--config", "--override" -> {
                    if (!joined && next == arguments.length) {
                        throw new StartException(name + " needs a value\n" + USAGE);
                    }
                    options.take(name, joined ? argument.substring(equals + 1) : arguments[next++]);
                }
                default -> options.takeFile(argument);
            }
        }
        return options;
    }

    private void take(String name, String value) {
        if (name.equals("--config")) {
            takeFile(value);
            return;
        }
        int equals = value.indexOf('=');
        if (equals <= 0) {
            throw new StartException("--override " + value + ": expected KEY=VALUE");
        }
        overrides.put(
                value.substring(0, equals).trim(), value.substring(equals + 1).trim());
    }

    /** As in Kafka's own start script the file may also stand alone. */
    private void takeFile(String value) {
        if (value.startsWith("-")) {
            throw new StartException("unknown option " + value + "\n" + USAGE);
        }
        if (file != null) {
            throw new StartException("two configuration files given: " + file + " and " + value);
        }
        file = Path.of(value);
    }

    boolean help() {
        return help;
    }

    /** The settings of the file, if any, and the overrides on top. Reads the file. */
    Map<String, String> properties() {
        Map<String, String> all = new TreeMap<>();
        if (file != null) {
            Properties loaded = new Properties();
            try (Reader text = new StringReader(Files.readString(file, StandardCharsets.UTF_8))) {
                loaded.load(text);
            } catch (NoSuchFileException e) {
                throw new StartException("--config " + file + ": no such file");
            } catch (IOException | IllegalArgumentException e) {
                throw new StartException("--config " + file + ": cannot be read (" + e + ")");
            }
            loaded.stringPropertyNames()
                    .forEach(key -> all.put(key, loaded.getProperty(key).trim()));
        }
        all.putAll(overrides);
        return all;
    }
}
