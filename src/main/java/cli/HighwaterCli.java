package cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The entry of all commands but {@code start}. */
@Command(name = "highwater")
public final class HighwaterCli {

    static final int OK = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;

    private HighwaterCli() {}

    /** Runs one command and exits with its code. */
    public static void main(String[] args) {
        Terminal terminal = Terminal.system();
        int code = run(terminal, args);
        terminal.out().flush();
        System.exit(code);
    }

    /** Runs one command; the exit code. */
    public static int run(Terminal terminal, String... args) {
        if (args.length == 0 || args[0].equals("--help") || args[0].equals("-h")) {
            return topHelp(terminal);
        }
        if (args[0].equals("help")) {
            return args.length == 1 ? topHelp(terminal) : run(terminal, args[1], "--help");
        }
        String name = args[0].equals("--version") || args[0].equals("-V") ? "version" : args[0];
        Function<Terminal, CommandLine> factory = commands().get(name);
        if (factory == null) {
            terminal.err()
                    .println("highwater: there is no command '" + name + "'. Commands: start, "
                            + String.join(", ", visibleNames()) + ". See highwater --help.");
            return USAGE;
        }
        // Only the wanted command is built: reflection over all of them would double the start-up time.
        CommandLine command = factory.apply(terminal);
        CommandLine top = new CommandLine(new HighwaterCli()).addSubcommand(name, command);
        prepare(top, terminal);
        args = args.clone();
        args[0] = name;
        return top.execute(args);
    }

    private static void prepare(CommandLine top, Terminal terminal) {
        top.setOut(new java.io.PrintWriter(terminal.out(), true, StandardCharsets.UTF_8));
        top.setErr(new java.io.PrintWriter(terminal.err(), true, StandardCharsets.UTF_8));
        top.setUsageHelpAutoWidth(true);
        top.setUsageHelpLongOptionsMaxWidth(34);
        top.setAbbreviatedOptionsAllowed(false);
        top.setCaseInsensitiveEnumValuesAllowed(true);
        top.setParameterExceptionHandler((problem, args) -> usageProblem(terminal, problem));
        top.setExecutionExceptionHandler((problem, command, parsed) -> failure(terminal, problem));
    }

    private static int usageProblem(Terminal terminal, ParameterException problem) {
        CommandLine command = problem.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        terminal.err().println(name + ": " + problem.getMessage());
        if (!command.getSubcommands().isEmpty()) {
            terminal.err()
                    .println("  Commands: "
                            + String.join(", ", command.getSubcommands().keySet()));
        }
        terminal.err().println("  See " + name + " --help.");
        return USAGE;
    }

    private static int failure(Terminal terminal, Exception problem) {
        terminal.out().flush();
        CliFailure failure = Explanation.of(problem);
        terminal.err().println("highwater: " + failure.getMessage());
        if (!failure.hint().isEmpty()) {
            terminal.err().println("  " + failure.hint());
        }
        return FAILED;
    }

    private static int topHelp(Terminal terminal) {
        try (InputStream text = HighwaterCli.class.getResourceAsStream("/cli/help.txt")) {
            terminal.out().write(text.readAllBytes());
            terminal.out().flush();
            return OK;
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private static Map<String, Function<Terminal, CommandLine>> commands() {
        Map<String, Function<Terminal, CommandLine>> all = new LinkedHashMap<>();
        all.put("topics", TopicsCommand::build);
        all.put("produce", terminal -> new CommandLine(new ProduceCommand(terminal)));
        all.put("consume", terminal -> new CommandLine(new ConsumeCommand(terminal)));
        all.put("groups", GroupsCommand::build);
        all.put("transactions", TransactionsCommand::build);
        all.put("cluster", ClusterCommand::build);
        all.put("config", ConfigCommand::build);
        all.put("dump", terminal -> new CommandLine(new DumpCommand(terminal)));
        all.put("version", terminal -> new CommandLine(new VersionCommand(terminal)));
        all.put("rehearse", terminal -> new CommandLine(new RehearseCommand(terminal)));
        return all;
    }

    private static Iterable<String> visibleNames() {
        return commands().keySet().stream()
                .filter(name -> !name.equals("rehearse"))
                .toList();
    }
}
