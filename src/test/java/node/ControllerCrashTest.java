package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import config.BrokerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import node.AdminModel.Operation;
import org.junit.jupiter.api.Test;
import sim.DiskFaults;
import sim.DiskFaults.Fault;
import sim.SimCrash;
import sim.SimHost;

/**
 * Random admin operations, several at once, on the real metadata log over a disk that crashes: after each restart the metadata is what a naive model gives
 * for all answered operations and some of the unanswered ones that follow, in order (R10, R12, C7, C9).
 */
class ControllerCrashTest {

    private static final BrokerConfig CONFIG = ControllerLab.config(
            "internal.metadata.log.segment.bytes", "2000",
            "metadata.log.max.record.bytes.between.snapshots", "1500",
            "metadata.max.retention.bytes", "3000");

    private final List<String> trace = new ArrayList<>();
    private AdminModel model = new AdminModel();
    private long snapshots;
    private long crashes;

    @Test
    void answeredOperationsSurviveEveryCrash() {
        long first = Long.getLong("crash.seed", new Random().nextLong());
        for (int run = 0; run < Integer.getInteger("crash.runs", 120); run++) {
            long seed = first + run;
            try {
                model = new AdminModel();
                trace.clear();
                run(seed);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + "\n" + String.join("\n", trace), e);
            }
        }
        assertTrue(crashes > 100 && snapshots > 20, crashes + " crashes, " + snapshots + " runs with a shortened log");
    }

    private void run(long seed) {
        Random random = new Random(seed);
        SimHost host = new SimHost(seed);
        ControllerLab lab = new ControllerLab(host, CONFIG);
        List<Asked> unanswered = new ArrayList<>();
        for (int life = 0; life < 6; life++) {
            try {
                // Most lives crash somewhere, also while they start.
                if (random.nextInt(5) > 0) {
                    long at = lab.host.disk().operations() + random.nextInt(150);
                    Fault fault = List.of(Fault.CRASH_BEFORE, Fault.CRASH_AFTER, Fault.CRASH_TORN)
                            .get(random.nextInt(3));
                    lab.host.disk().faults(DiskFaults.at(at, fault));
                }
                lab.open();
                settle(lab, unanswered);
                snapshots += lab.controller.log().logStartOffset() > 0 ? 1 : 0;
                operate(lab, random, unanswered);
                if (random.nextBoolean()) {
                    lab.stop();
                    trace.add("clean stop");
                }
            } catch (SimCrash crash) {
                trace.add("crash");
                crashes++;
            }
            lab.host.disk().faults(DiskFaults.NONE);
            lab = lab.on(random.nextBoolean() ? lab.host.powerCut() : lab.host.kill());
        }
        lab.open();
        settle(lab, unanswered);
    }

    /** An operation since the last known state. */
    private static final class Asked {
        private final Operation operation;
        private boolean answered;

        Asked(Operation operation) {
            this.operation = operation;
        }
    }

    /** After a restart: all answered operations have taken effect, and of those asked later the first few. */
    private void settle(ControllerLab lab, List<Asked> asked) {
        String found = AdminModel.text(lab.image());
        List<String> possible = new ArrayList<>();
        AdminModel candidate = model.copy();
        AdminModel chosen = null;
        for (int i = 0; i <= asked.size(); i++) {
            boolean allAnswered = asked.subList(i, asked.size()).stream().noneMatch(each -> each.answered);
            if (allAnswered) {
                possible.add(candidate.toString());
                chosen = candidate.toString().equals(found) ? candidate.copy() : chosen;
            }
            if (i < asked.size()) {
                asked.get(i).operation.apply(candidate);
            }
        }
        if (chosen == null) {
            fail("found " + found + "\npossible\n" + String.join("\n", possible));
        }
        trace.add("opened " + found + " version " + lab.image().version());
        model = chosen;
        asked.clear();
        assertEquals(lab.image(), lab.published.get(lab.published.size() - 1));
    }

    private void operate(ControllerLab lab, Random random, List<Asked> asked) {
        for (int burst = 0; burst < 30; burst++) {
            int count = 1 + random.nextInt(5);
            int[] answered = {0};
            AdminModel after = model.copy();
            for (int i = 0; i < count; i++) {
                Asked one = new Asked(AdminModel.random(random));
                asked.add(one);
                String expected = one.operation.apply(after);
                one.operation.ask(lab.controller, (answer, failure) -> {
                    assertNull(failure);
                    one.answered = true;
                    assertEquals(expected, answer, "an answer is what the order of asking gives");
                    trace.add(answer);
                    answered[0]++;
                });
            }
            long before = lab.host.scheduler().now();
            boolean all = lab.host
                    .scheduler()
                    .runUntil(() -> answered[0] == count || !lab.host.life().alive(), before + 60_000_000_000L);
            if (!lab.host.life().alive()) {
                throw new SimCrash("during operations");
            }
            assertTrue(all, "no answer");
            model = after;
            asked.clear();
            assertEquals(model.toString(), AdminModel.text(lab.image()));
            lab.host.runFor(random.nextInt(3) == 0 ? 20_000 : random.nextInt(5));
            if (!lab.host.life().alive()) {
                throw new SimCrash("between operations");
            }
        }
    }
}
