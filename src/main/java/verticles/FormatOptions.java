package verticles;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import node.NodeFormat;
import org.apache.kafka.common.Uuid;

/** The command line of {@link Format}: that of kafka-storage format, as far as it has a meaning here. */
final class FormatOptions {
    private static final Pattern CLUSTER_ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final Pattern FOUNDER =
            Pattern.compile("(\\d{1,9})@(?:\\[([0-9a-fA-F:.%]+)]|([^:/@\\[\\]\\s]+)):(\\d{1,5}):([A-Za-z0-9_-]{22})");
    private static final int LAST_PORT = 65_535;

    private final List<String> settings = new ArrayList<>();
    private String clusterId;
    private List<NodeFormat.Founder> founders = List.of();
    private boolean standalone;
    private boolean joins;
    private boolean ignoresFormatted;
    private boolean help;

    private FormatOptions() {}

    /** @throws StartException if the arguments make no sense */
    static FormatOptions parse(String... arguments) {
        FormatOptions options = new FormatOptions();
        int next = 0;
        while (next < arguments.length) {
            String argument = arguments[next++];
            int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
            String name = equals > 0 ? argument.substring(0, equals) : argument;
            if (options.flag(name)) {
                continue;
            }
            if (equals < 0 && next == arguments.length) {
                throw new StartException(name + ": unknown, or a value is missing; see highwater format --help");
            }
            options.take(name, equals > 0 ? argument.substring(equals + 1) : arguments[next++]);
        }
        options.check();
        return options;
    }

    private boolean flag(String name) {
        switch (name) {
            case "--help", "-h" -> help = true;
            case "--standalone", "-s" -> standalone = true;
            case "--no-initial-controllers", "-N" -> joins = true;
            case "--ignore-formatted", "-g" -> ignoresFormatted = true;
            default -> {
                return false;
            }
        }
        return true;
    }

    private void take(String name, String value) {
        switch (name) {
            case "--cluster-id", "-t" -> clusterId = value;
            case "--initial-controllers", "-I" -> founders = founders(value);
            case "--config", "-c" -> settings.addAll(List.of("--config", value));
            case "--override" -> settings.addAll(List.of("--override", value));
            default -> throw new StartException("unknown option " + name + "; see highwater format --help");
        }
    }

    private static List<NodeFormat.Founder> founders(String value) {
        List<NodeFormat.Founder> founders = new ArrayList<>();
        for (String entry : value.split(",", -1)) {
            Matcher founder = FOUNDER.matcher(entry.trim());
            if (!founder.matches() || Integer.parseInt(founder.group(4)) > LAST_PORT) {
                throw new StartException("--initial-controllers: '" + entry.trim()
                        + "' is no controller: expected id@host:port:directory-id, for example"
                        + " 1@localhost:9093:3Db5QLSqSZieL3rJBUUegA");
            }
            String host = founder.group(2) != null ? founder.group(2) : founder.group(3);
            NodeFormat.Founder made = new NodeFormat.Founder(
                    Integer.parseInt(founder.group(1)),
                    host,
                    Integer.parseInt(founder.group(4)),
                    Uuid.fromString(founder.group(5)));
            if (founders.stream().anyMatch(each -> each.id() == made.id())) {
                throw new StartException("--initial-controllers: node " + made.id() + " is named twice");
            }
            founders.add(made);
        }
        return founders;
    }

    private void check() {
        int ways = (standalone ? 1 : 0) + (joins ? 1 : 0) + (founders.isEmpty() ? 0 : 1);
        if (ways > 1) {
            throw new StartException(
                    "give only one of --standalone, --initial-controllers and --no-initial-controllers");
        }
        if (clusterId != null && !CLUSTER_ID.matcher(clusterId).matches()) {
            throw new StartException("--cluster-id " + clusterId + ": allowed are 1 to 64 letters, digits, - and _");
        }
    }

    /** Null when not given. */
    String clusterId() {
        return clusterId;
    }

    /** Of --initial-controllers. */
    List<NodeFormat.Founder> founders() {
        return founders;
    }

    boolean standalone() {
        return standalone;
    }

    /** --no-initial-controllers: a quorum is there, or others begin it. */
    boolean joins() {
        return joins;
    }

    boolean ignoresFormatted() {
        return ignoresFormatted;
    }

    boolean help() {
        return help;
    }

    /** The settings of the node. */
    StartOptions settings() {
        return StartOptions.parse(settings.toArray(new String[0]));
    }
}
