package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import node.QuorumLab.Machine;
import org.junit.jupiter.api.Test;
import sim.DiskFaults;
import sim.DiskFaults.Fault;

/**
 * Controllers that are killed, lose their power at any write, stop, and are cut off from one another, while requests come: what was answered is there in the end, on all
 * of them, and at each version all have had the same image (R10, R11, R12).
 */
class QuorumStormTest {
    private static final int STEPS = 60;

    private final List<String> trace = new ArrayList<>();
    private int answered;
    private int failed;
    private int installed;
    private int leaders;

    @Test
    void answeredRequestsSurvive() {
        long first = Long.getLong("quorum.seed", new Random().nextLong());
        int runs = Integer.getInteger("quorum.runs", 40);
        for (int run = 0; run < runs; run++) {
            long seed = first + run;
            trace.clear();
            try {
                new Storm(seed).run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("-Dquorum.seed=" + seed + "\n" + String.join("\n", trace), e);
            }
        }
        String seen = answered + " answered, " + failed + " failed, " + installed + " snapshots installed, " + leaders
                + " leaders";
        assertTrue(answered > 20 * runs && failed > runs && installed > runs / 20 && leaders > 2 * runs, seen);
    }

    private final class Storm {
        private final Random random;
        private final QuorumLab lab;
        private final TreeMap<String, Double> acked = new TreeMap<>();
        private int users;
        private int lastLeader;

        Storm(long seed) {
            random = new Random(seed);
            lab = new QuorumLab(
                    seed,
                    3,
                    1,
                    "metadata.log.max.record.bytes.between.snapshots",
                    "900",
                    "metadata.max.retention.bytes",
                    "1200",
                    "internal.metadata.log.segment.bytes",
                    "700");
        }

        void run() {
            lab.startAll();
            for (int i = 0; i < STEPS; i++) {
                step();
                lab.runFor(random.nextInt(random.nextInt(4) == 0 ? 3_000 : 200));
                count();
            }
            say("calm");
            lab.heal();
            for (Machine each : lab.machines.values()) {
                each.host.disk().faults(DiskFaults.NONE);
                if (!each.isUp()) {
                    each.start();
                }
            }
            lab.awaitActive();
            lab.setQuota("last", 1);
            lab.awaitSame();
            acked.forEach((user, value) ->
                    assertEquals(value, QuorumLab.quota(lab.active().lab.image(), user), user + " was answered"));
        }

        private void count() {
            Machine active = lab.active();
            if (active != null && active.controller().active().epoch() > lastLeader) {
                lastLeader = active.controller().active().epoch();
                leaders++;
            }
        }

        private void say(String what) {
            trace.add(lab.scheduler.now() / 1_000_000 + " " + what);
        }

        private Machine any() {
            return lab.machine(1 + random.nextInt(lab.machines.size()));
        }

        private void step() {
            Machine machine = any();
            switch (random.nextInt(12)) {
                case 0 -> {
                    say("isolates " + machine.id);
                    lab.isolate(machine.id);
                }
                case 1 -> {
                    int to = any().id;
                    say("cuts " + machine.id + " to " + to);
                    lab.cut(machine.id, to);
                }
                case 2, 3 -> {
                    say("heals");
                    lab.heal();
                }
                case 4 -> end(machine);
                case 5, 6 -> startOne();
                case 7 -> {
                    if (machine.isUp()) {
                        Fault fault = List.of(Fault.CRASH_BEFORE, Fault.CRASH_AFTER, Fault.CRASH_TORN)
                                .get(random.nextInt(3));
                        long at = machine.host.disk().operations() + random.nextInt(40);
                        say(machine.id + " will have " + fault + " at " + at);
                        machine.host.disk().faults(DiskFaults.at(at, fault));
                    }
                }
                default -> request();
            }
        }

        private void end(Machine machine) {
            if (!machine.isUp()) {
                return;
            }
            int how = random.nextInt(3);
            say((how == 0 ? "kills " : how == 1 ? "cuts the power of " : "stops ") + machine.id);
            if (how == 0) {
                machine.kill();
            } else if (how == 1) {
                machine.powerCut();
            } else {
                machine.host.disk().faults(DiskFaults.NONE);
                machine.stop();
            }
        }

        private void startOne() {
            for (Machine each : lab.machines.values()) {
                if (!each.isUp()) {
                    each.host.disk().faults(DiskFaults.NONE);
                    say("starts " + each.id);
                    long end = each.lab == null || each.controller() == null
                            ? 0
                            : each.controller().log().logEndOffset();
                    each.start();
                    lab.runFor(300);
                    boolean skipped = each.isUp()
                            && each.controller() != null
                            && each.controller().log().logStartOffset() > end;
                    installed += skipped ? 1 : 0;
                    return;
                }
            }
        }

        private void request() {
            for (Machine each : lab.machines.values()) {
                for (int i = 0; each.isActive() && i < 1 + random.nextInt(8); i++) {
                    String user = "user" + ++users;
                    double value = 1 + random.nextInt(1_000);
                    lab.setQuota(each, user, value, (answer, failure) -> {
                        if (failure == null) {
                            answered++;
                            acked.put(user, value);
                        } else {
                            failed++;
                        }
                    });
                }
            }
        }
    }
}
