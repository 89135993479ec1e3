package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Links between ends: cut in one direction or both, slow, lossy; a connection keeps its order through all of it. */
class SimNetworkTest {
    private static final int PIECES = 200;

    private final SimRandom random = new SimRandom(20);
    private final SimScheduler scheduler = new SimScheduler(random);
    private final SimNetwork network = new SimNetwork(scheduler, random.split("network"));
    private final List<Integer> arrived = new ArrayList<>();

    private SimStream sent(String from, String to) {
        SimStream stream = network.stream(from, to);
        for (int i = 0; i < PIECES; i++) {
            int number = i;
            scheduler.after(
                    i * SimScheduler.MILLI, null, "send", () -> stream.send(null, "piece", () -> arrived.add(number)));
        }
        return stream;
    }

    private static List<Integer> all() {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < PIECES; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    private void runFor(long millis) {
        scheduler.runFor(millis * SimScheduler.MILLI);
    }

    @Test
    void aStreamIsInOrderThroughLossAndLongTails() {
        network.packets(0.3, 0.5);
        network.longTail(0.1);
        sent("a", "b");
        runFor(120_000);
        assertEquals(all(), arrived);
    }

    @Test
    void aCutOfOneDirectionHoldsItAndLeavesTheOther() {
        sent("a", "b");
        runFor(50);
        int before = arrived.size();
        assertTrue(before > 0 && before < PIECES, "some came before the cut: " + before);
        network.path("a", "b").cut();
        List<String> back = new ArrayList<>();
        network.stream("b", "a").send(null, "piece", () -> back.add("back"));
        runFor(60_000);
        assertEquals(before, arrived.size());
        assertEquals(List.of("back"), back);
        assertFalse(network.reachable("a", "b"));
        assertFalse(network.reachable("b", "a"));
        network.heal();
        runFor(10);
        assertEquals(all(), arrived);
        assertTrue(network.reachable("a", "b"));
    }

    @Test
    void aCutOfALinkLeavesTheOtherLinks() {
        network.cut("a", "b");
        sent("a", "c");
        runFor(1_000);
        assertEquals(all(), arrived);
        assertFalse(network.reachable("b", "a"));
        assertTrue(network.reachable("b", "c"));
    }

    @Test
    void whatIsSentBetweenTwoCutsComesAfterBoth() {
        sent("a", "b");
        for (int i = 0; i < 5; i++) {
            runFor(30);
            network.cut("b", "a");
            runFor(20);
            network.heal();
        }
        runFor(100);
        assertEquals(all(), arrived);
    }

    @Test
    void aMuteEndIsHeardByNobodyAndHearsAll_andADeafOneTheOtherWayRound() {
        network.mute("a");
        network.path("a", "b").datagram(null, "hint", () -> arrived.add(1));
        network.path("b", "a").datagram(null, "hint", () -> arrived.add(2));
        runFor(100);
        assertEquals(List.of(2), arrived);
        network.heal();
        network.deafen("a");
        network.path("a", "b").datagram(null, "hint", () -> arrived.add(3));
        network.path("b", "a").datagram(null, "hint", () -> arrived.add(4));
        runFor(100);
        assertEquals(List.of(2, 3), arrived);
    }

    @Test
    void datagramsAreLostAndDoubled() {
        network.packets(0.2, 0.2);
        SimPath path = network.path("a", "b");
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            path.datagram(null, "hint", () -> arrived.add(number));
        }
        runFor(100);
        long distinct = arrived.stream().distinct().count();
        assertTrue(distinct > 700 && distinct < 900, "of 1000 came " + distinct);
        assertTrue(arrived.size() - distinct > 80, "doubled: " + (arrived.size() - distinct));
    }

    @Test
    void whatAProcessThatHasEndedWouldGetIsGone() {
        SimLife life = new SimLife("b");
        SimStream stream = network.stream("a", "b");
        network.cut("a", "b");
        stream.send(life, "piece", () -> arrived.add(1));
        runFor(100);
        stream.send(null, "piece", () -> arrived.add(2));
        runFor(100);
        life.end();
        network.heal();
        runFor(100);
        assertEquals(List.of(2), arrived);
    }
}
