package cli;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.common.TopicPartition;

/** Watches replicas move until all have, and then takes the throttle away if nothing else moves. Ctrl-C ends the watch, not the moves. */
final class MoveWatch {
    private static final long LOOK_MILLIS = 500;

    private final Admin admin;
    private final Terminal terminal;
    private final List<TopicPartition> watched;
    private String told = "";

    MoveWatch(Admin admin, Terminal terminal, List<TopicPartition> watched) {
        this.admin = admin;
        this.terminal = terminal;
        this.watched = watched;
    }

    /** All that moves now, by topic and partition. */
    static TreeMap<TopicPartition, PartitionReassignment> underWay(Admin admin)
            throws InterruptedException, ExecutionException {
        TreeMap<TopicPartition, PartitionReassignment> found = new TreeMap<>(GroupLag.ORDER);
        found.putAll(admin.listPartitionReassignments().reassignments().get());
        return found;
    }

    /** False when it was interrupted. */
    boolean untilDone() throws InterruptedException, ExecutionException {
        CountDownLatch interrupted = new CountDownLatch(1);
        terminal.out().flush();
        try (Interrupt interrupt = new Interrupt(interrupted::countDown)) {
            TreeMap<TopicPartition, PartitionReassignment> all = underWay(admin);
            Map<TopicPartition, PartitionReassignment> mine = mine(all);
            while (!mine.isEmpty()) {
                tell(mine);
                if (interrupted.await(LOOK_MILLIS, TimeUnit.MILLISECONDS) || interrupt.happened()) {
                    terminal.err().println("The replicas go on moving. Watch them: highwater cluster moves --wait.");
                    return false;
                }
                all = underWay(admin);
                mine = mine(all);
            }
            if (all.isEmpty()) {
                clearThrottle();
            }
            return true;
        }
    }

    private Map<TopicPartition, PartitionReassignment> mine(TreeMap<TopicPartition, PartitionReassignment> all) {
        TreeMap<TopicPartition, PartitionReassignment> mine = new TreeMap<>(GroupLag.ORDER);
        for (TopicPartition id : watched) {
            PartitionReassignment moving = all.get(id);
            if (moving != null) {
                mine.put(id, moving);
            }
        }
        return mine;
    }

    private void tell(Map<TopicPartition, PartitionReassignment> moving)
            throws InterruptedException, ExecutionException {
        ClusterView view = ClusterView.of(admin);
        ReplicaSizes sizes = ReplicaSizes.of(admin, view.activeRacks().keySet());
        long left = moving.entrySet().stream()
                .mapToLong(each -> sizes.left(each.getKey(), each.getValue().addingReplicas()))
                .sum();
        String line = moving.size() + " partition(s) move, " + ByteSize.text(left) + " to copy";
        if (!line.equals(told)) {
            terminal.err().println(line);
            told = line;
        }
    }

    private void clearThrottle() throws InterruptedException, ExecutionException {
        TreeSet<Integer> brokers =
                new TreeSet<>(ClusterView.of(admin).activeRacks().keySet());
        if (ReplicationThrottle.clear(admin, brokers)) {
            terminal.err().println("The throttle is taken away.");
        }
    }
}
