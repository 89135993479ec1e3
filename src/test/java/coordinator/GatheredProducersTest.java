package coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;
import sim.SimRandom;

/** The count of what a queue holds, against the queue. */
final class GatheredProducersTest {

    private record Batch(long producerId, short epoch, boolean marker) {}

    @Test
    void saysWhatAWalkOfTheQueueWould() {
        for (long seed = 0; seed < 50; seed++) {
            SimRandom random = new SimRandom(seed);
            GatheredProducers held = new GatheredProducers();
            ArrayDeque<Batch> queue = new ArrayDeque<>();
            for (int step = 0; step < 300; step++) {
                if (!queue.isEmpty() && random.chance(0.45)) {
                    Batch left = queue.poll();
                    if (left.marker) {
                        held.removeMarker(left.producerId);
                    } else {
                        held.removeRecords(left.producerId, left.epoch);
                    }
                } else if (random.chance(0.02)) {
                    queue.clear();
                    held.clear();
                } else {
                    Batch come = new Batch(random.below(4), (short) random.below(3), random.chance(0.3));
                    queue.add(come);
                    if (come.marker) {
                        held.addMarker(come.producerId);
                    } else {
                        held.addRecords(come.producerId, come.epoch);
                    }
                }
                compare(queue, held, "seed " + seed + " step " + step);
            }
        }
    }

    private static void compare(ArrayDeque<Batch> queue, GatheredProducers held, String where) {
        for (int producer = 0; producer < 5; producer++) {
            long id = producer;
            assertEquals(queue.stream().anyMatch(each -> each.producerId == id), held.hasAny(id), where);
            assertEquals(
                    queue.stream().anyMatch(each -> each.producerId == id && each.marker), held.hasMarker(id), where);
            for (short epoch = 0; epoch < 4; epoch++) {
                short wanted = epoch;
                assertEquals(
                        queue.stream().anyMatch(each -> !each.marker && each.producerId == id && each.epoch == wanted),
                        held.hasRecords(id, wanted),
                        where);
            }
        }
    }
}
