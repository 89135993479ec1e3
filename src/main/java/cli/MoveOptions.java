package cli;

import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Option;

/** Whether to do what a plan says, how fast, and whether to wait for it. */
final class MoveOptions {

    @Option(names = "--execute", description = "Do it.")
    private boolean execute;

    @Option(
            names = "--throttle",
            paramLabel = "BYTES",
            description = "How much each node sends and fetches a second for it, such as 50MB; taken away at the end.")
    private String throttle;

    @Option(names = "--no-wait", description = "Do not wait until the replicas have moved.")
    private boolean noWait;

    /** Fails if the throttle is no size. */
    void check() {
        rate();
    }

    private Long rate() {
        return throttle == null ? null : Long.valueOf(ByteSize.parse(throttle, "--throttle"));
    }

    /** Shows the plan and, if told to, carries it out; whether all of it is done. */
    boolean carryOut(Admin admin, Terminal terminal, ClusterView view, Reassignment moves)
            throws InterruptedException, ExecutionException {
        Long rate = rate();
        TreeSet<Integer> active = new TreeSet<>(view.activeRacks().keySet());
        active.retainAll(moves.nodes());
        moves.print(terminal, ReplicaSizes.of(admin, active));
        if (!execute) {
            terminal.err().println("Nothing was changed. Add --execute to do it.");
            return false;
        }
        if (rate != null) {
            ReplicationThrottle.replicas(admin, moves.before(), moves.after());
            ReplicationThrottle.rate(admin, active, rate);
        }
        moves.execute(admin);
        if (noWait) {
            terminal.err().println("It is under way. Watch it: highwater cluster moves --wait.");
            return false;
        }
        if (!new MoveWatch(admin, terminal, List.copyOf(moves.after().keySet())).untilDone()) {
            return false;
        }
        moves.requireDone(admin);
        terminal.out().printf("done: %d partition(s) changed%n", moves.after().size());
        return true;
    }
}
