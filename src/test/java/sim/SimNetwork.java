package sim;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** All links of a world, by the names of their two ends: how long bytes are under way, what is cut, what is lost. */
final class SimNetwork {
    private final SimScheduler scheduler;
    private final SimRandom random;
    private final SimChunks chunks = new SimChunks();
    private final Map<String, SimPath> paths = new TreeMap<>();
    private final TreeSet<String> mute = new TreeSet<>();
    private final TreeSet<String> deaf = new TreeSet<>();
    private double longTail;
    private double loss;
    private double duplicates;

    SimNetwork(SimScheduler scheduler, SimRandom random) {
        this.scheduler = scheduler;
        this.random = random;
    }

    /** @param share of the deliveries that take up to 3 s */
    void longTail(double share) {
        longTail = share;
    }

    /**
     * @param lost share of the packets that do not arrive; those of a connection are sent again a little later
     * @param twice share of the {@link SimPath#datagram} packets that arrive twice
     */
    void packets(double lost, double twice) {
        loss = lost;
        duplicates = twice;
    }

    /** The way from one end to another; made when first asked for. */
    SimPath path(String from, String to) {
        return paths.computeIfAbsent(from + ">" + to, key -> new SimPath(this, scheduler, random.split(key), from, to));
    }

    /** One direction of a new connection. */
    SimStream stream(String from, String to) {
        return new SimStream(scheduler, path(from, to));
    }

    /** Whether a connection can be made: both directions are needed. */
    boolean reachable(String one, String other) {
        return !path(one, other).isCut() && !path(other, one).isCut();
    }

    /** Nothing that {@code end} sends arrives anywhere, until {@link #heal}. */
    void mute(String end) {
        mute.add(end);
    }

    /** Nothing arrives at {@code end}, until {@link #heal}. */
    void deafen(String end) {
        deaf.add(end);
    }

    /** Nothing goes between two ends, until {@link #heal}. */
    void cut(String one, String other) {
        path(one, other).cut();
        path(other, one).cut();
    }

    /** All that was cut works again, and what a connection could not send meanwhile goes on its way. */
    void heal() {
        mute.clear();
        deaf.clear();
        paths.values().forEach(SimPath::heal);
    }

    boolean cut(SimPath path) {
        return mute.contains(path.from()) || deaf.contains(path.to());
    }

    double loss() {
        return loss;
    }

    double duplicates() {
        return duplicates;
    }

    long latency() {
        if (longTail > 0 && random.chance(longTail)) {
            return random.belowLong(3_000 * SimScheduler.MILLI);
        }
        return 50_000L + random.below(900_000);
    }

    SimScheduler scheduler() {
        return scheduler;
    }

    /** Memory of the servers. */
    SimChunks chunks() {
        return chunks;
    }
}
