package sim;

import java.util.ArrayList;
import java.util.List;

/** One direction between two ends of a {@link SimNetwork}. It may be cut while the other direction works. */
final class SimPath {
    private static final long RESEND = 200 * SimScheduler.MILLI;
    private static final int MAX_RESENDS = 5;

    private final SimNetwork network;
    private final SimScheduler scheduler;
    private final SimRandom random;
    private final String from;
    private final String to;
    private final List<SimStream> waiting = new ArrayList<>();
    private boolean cut;

    SimPath(SimNetwork network, SimScheduler scheduler, SimRandom random, String from, String to) {
        this.network = network;
        this.scheduler = scheduler;
        this.random = random;
        this.from = from;
        this.to = to;
    }

    String from() {
        return from;
    }

    String to() {
        return to;
    }

    /** Nothing arrives, until {@link SimNetwork#heal}. */
    void cut() {
        cut = true;
    }

    boolean isCut() {
        return cut || network.cut(this);
    }

    void heal() {
        cut = false;
        List<SimStream> all = new ArrayList<>(waiting);
        waiting.clear();
        all.forEach(SimStream::resume);
    }

    /** {@code stream} has something to deliver as soon as the path is whole. */
    void await(SimStream stream) {
        waiting.add(stream);
    }

    /** How long the next piece of a connection is under way: with losses, also the time until it is sent again. */
    long latency() {
        long nanos = network.latency();
        if (network.loss() > 0) {
            for (int i = 0; i < MAX_RESENDS && random.chance(network.loss()); i++) {
                nanos += RESEND << i;
            }
        }
        return nanos;
    }

    /** A message without a connection: it may come late, out of order, twice, or not at all. */
    void datagram(SimLife receiver, String what, Runnable arrival) {
        if (network.loss() > 0 && random.chance(network.loss())) {
            return;
        }
        int copies = network.duplicates() > 0 && random.chance(network.duplicates()) ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            scheduler.after(network.latency(), receiver, what, () -> {
                if (!isCut()) {
                    arrival.run();
                }
            });
        }
    }
}
