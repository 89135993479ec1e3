package verticles;

import config.BrokerConfig;
import config.ConfigProblem;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The broker process: reads its settings, starts the node, stops it in order when told to. */
public final class Main {
    private static final long ENTERED_NANOS = System.nanoTime();

    private Main() {}

    /**
     * Returns when the node serves; its event loops keep the process alive. A start that fails ends the process with status 1 and one message that says what
     * to change.
     */
    public static void main(String[] arguments) {
        try {
            StartOptions options = StartOptions.parse(arguments);
            if (options.help()) {
                System.out.print(StartOptions.USAGE);
                return;
            }
            BrokerProcess.start(config(options), ENTERED_NANOS);
        } catch (StartException e) {
            System.err.println("highwater: cannot start: " + e.getMessage());
            System.err.flush();
            Runtime.getRuntime().halt(1);
        }
    }

    /** Refused with all that is wrong. */
    static BrokerConfig config(StartOptions options) {
        BrokerConfig.Parsed parsed = BrokerConfig.parse(options.properties());
        if (!parsed.problems().isEmpty()) {
            throw new StartException(
                    parsed.problems().stream().map(ConfigProblem::toString).collect(Collectors.joining("\n  ")));
        }
        if (!parsed.notes().isEmpty()) {
            Logger log = LoggerFactory.getLogger(Main.class);
            parsed.notes().forEach(note -> log.info("settings: {}", note));
        }
        return parsed.config();
    }
}
