package cli;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code highwater rehearse}, not for people: runs the usual commands once in this JVM against a fresh broker, so that the
 * build can keep the classes which they need in the start-up archives of broker and commands.
 */
@Command(name = "rehearse", hidden = true)
final class RehearseCommand extends HelpOption implements Callable<Integer> {

    private static final String TOPIC = "rehearsal";
    private static final int RECORDS = 200;

    private final Terminal terminal;

    @Option(names = "--bootstrap-server", required = true, description = "The broker.")
    private String bootstrap;

    RehearseCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        String[][] commands = {
            {"--help"},
            {"version"},
            {"topics", "--help"},
            {"topics", "create", TOPIC, "--partitions", "2", "--config", "retention.ms=100000"},
            {"topics", "list"},
            {"topics", "describe", TOPIC},
            {"produce", TOPIC, "--key-separator", ":", "--header", "a=b"},
            {"produce", TOPIC, "--compression", "lz4"},
            {"consume", TOPIC, "--from", "beginning", "--count", String.valueOf(2 * RECORDS), "-f", "%p %o %k %s %h\\n"
            },
            {"consume", TOPIC, "--from", "-1", "--exit"},
            {"groups", "reset-offsets", TOPIC, "--topic", TOPIC, "--to", "earliest", "--execute"},
            {"groups", "list"},
            {"groups", "describe", TOPIC},
            {"config", "describe", "--topic", TOPIC},
            {"topics", "delete", TOPIC},
            {"topics", "describe", TOPIC},
        };
        for (String[] command : commands) {
            int code = HighwaterCli.run(silent(), withBroker(command));
            terminal.out().printf("rehearsed %s: exit code %d%n", String.join(" ", command), code);
            terminal.out().flush();
        }
        return HighwaterCli.OK;
    }

    private String[] withBroker(String... command) {
        boolean talks = command.length > 2 || command[command.length - 1].equals("list");
        if (!talks) {
            return command;
        }
        String[] full = new String[command.length + 2];
        System.arraycopy(command, 0, full, 0, command.length);
        full[command.length] = "--bootstrap-server";
        full[command.length + 1] = bootstrap;
        return full;
    }

    private static Terminal silent() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < RECORDS; i++) {
            lines.append("key").append(i).append(":value ").append(i).append('\n');
        }
        byte[] input = lines.toString().getBytes(StandardCharsets.UTF_8);
        return new Terminal(new ByteArrayInputStream(input), nowhere, nowhere, false);
    }
}
