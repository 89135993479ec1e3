/**
 * The commands of {@code bin/highwater} other than {@code start}: picocli for the command line, kafka-clients to talk to
 * a broker. Nothing imports this package. Each command runs on the main thread and ends with an exit code: 0 done, 1 the
 * task failed, 2 wrong usage.
 *
 * <p>Start reading at {@link cli.HighwaterCli}. Everything a command prints goes through {@link cli.Terminal}; expected
 * failures are {@link cli.CliFailure}, which says what happened and what to do next.
 */
package cli;
