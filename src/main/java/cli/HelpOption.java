package cli;

import picocli.CommandLine.Option;

/** The {@code --help} that every command has. */
abstract class HelpOption {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this text.")
    boolean help;
}
