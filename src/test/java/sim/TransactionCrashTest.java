package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import common.Mutations;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sim.DiskFaults.Fault;
import sim.NodeTransactions.Protocol;
import transaction.Producer;

/**
 * Every crash that a history of two transactions can meet: before, after and in the midst of each operation of the disk, and so in each phase of the protocol,
 * of both versions, whether the first transaction commits or aborts. Afterwards the same producer goes on, as if nothing had been, or another one comes in its
 * place (rules T1 to T3, T6 to T10, L5).
 */
@ExtendWith(QuietLogs.class)
final class TransactionCrashTest {
    private static final int LONG = 600_000;
    private static final int SEED = 5;
    /** Of worlds in which a planted bug is looked for. */
    private static final int SEEDS = 8;

    /** Steps of the history: where the first transaction is ended, and the second. */
    private static final int FIRST_END = 4;

    private static final int SECOND_END = 6;
    private static final int STEPS = 7;
    /** Of the disk; the history has at least so many. */
    private static final long OPERATIONS = 80;

    private enum Crash {
        KILL_BEFORE(Fault.CRASH_BEFORE, false),
        KILL_TORN(Fault.CRASH_TORN, false),
        POWER_AFTER(Fault.CRASH_AFTER, true),
        POWER_TORN(Fault.CRASH_TORN, true);

        private final Fault fault;
        private final boolean power;

        Crash(Fault fault, boolean power) {
            this.fault = fault;
            this.power = power;
        }
    }

    /** One node with one producer, which commits an offset of a group with its records. */
    private static final class History {
        private final NodeBench node;
        private final NodeTransactions transactions;
        private final boolean commit;
        private final boolean first;
        private Producer producer;
        /** The one that is under way, or was not answered. */
        private int step;

        History(Protocol protocol, boolean commit, World world) {
            this.node =
                    new NodeBench(world.seed, world.disks).with(world.planted).start();
            this.transactions = new NodeTransactions(node, protocol);
            this.commit = commit;
            this.first = protocol == Protocol.FIRST;
            transactions.makeTopic("t");
            transactions.makeTopic("u");
            transactions.commit("g", "t", 1);
            producer = transactions.init("x", LONG);
        }

        long operations() {
            return node.disks.get(0).operations();
        }

        /** From the step that was not answered on. */
        void goOn() {
            for (; step < STEPS; step++) {
                switch (step) {
                    case 0 -> transactions.produce(producer, "t", 0, "a");
                    case 1 -> transactions.produce(producer, "u", 0, "b");
                    case 2 -> transactions.produce(producer, "t", 1, "c");
                    case 3 -> transactions.commit(producer, "g", "t", 5);
                    case FIRST_END -> producer = transactions.end(producer, commit);
                    // With the first protocol the epoch is the same, and so numbers go on.
                    case 5 -> transactions.produce(producer, "t", first ? 2 : 0, "d");
                    default -> producer = transactions.end(producer, true);
                }
            }
            transactions.awaitState("x", "CompleteCommit");
        }

        /** @return whether it crashed before it had done all */
        boolean crashes(long at, Fault fault) {
            node.disks.get(0).faults(DiskFaults.at(operations() + at, fault));
            try {
                goOn();
                node.disks.get(0).faults(DiskFaults.NONE);
                return false;
            } catch (NodeBench.Crashed crashed) {
                return true;
            }
        }

        void recover(boolean power) {
            if (power) {
                node.powerCut();
            } else {
                node.kill();
            }
            node.disks.get(0).faults(DiskFaults.NONE);
            node.start();
        }

        /** The producer repeats what was not answered, and all is as without the crash. */
        void judgeSameProducer() {
            goOn();
            assertEquals(commit ? List.of("a", "c", "d") : List.of("d"), transactions.visible("t"));
            assertEquals(commit ? List.of("b") : List.of(), transactions.visible("u"));
            assertEquals(commit ? 5 : 1, transactions.committed("g"));
            nothingIsOpen();
        }

        private void nothingIsOpen() {
            transactions.await("the last stable offset", () -> {
                boolean all = true;
                for (String each : List.of("t", "u")) {
                    all &= transactions.stableEnd(each) == transactions.end(each);
                }
                return all && transactions.isStable("g") && transactions.nothingOpen("g");
            });
        }

        void judgeSuccessor() {
            Producer old = producer;
            Producer next = transactions.init("x", LONG);
            nothingIsOpen();
            List<String> expected = new ArrayList<>(transactions.visible("t"));
            boolean firstSeen = expected.contains("a");
            if (step != FIRST_END) {
                assertEquals(commit && step > FIRST_END, firstSeen);
            }
            assertTrue(commit || !firstSeen);
            assertEquals(firstSeen ? List.of("b") : List.of(), transactions.visible("u"));
            assertEquals(firstSeen ? 5 : 1, transactions.committed("g"));
            boolean secondSeen = expected.contains("d");
            assertTrue(step >= SECOND_END || !secondSeen);
            List<String> whole = new ArrayList<>(firstSeen ? List.of("a", "c") : List.of());
            whole.addAll(secondSeen ? List.of("d") : List.of());
            assertEquals(whole, expected);

            assertNotEquals(Errors.NONE, transactions.tryProduce(old, "t", 9, "zombie"));
            assertEquals(
                    Errors.PRODUCER_FENCED, transactions.tryEnd(old, commit).error());
            transactions.produce(next, "t", 0, "n");
            transactions.produce(next, "u", 0, "m");
            transactions.commit(next, "g", "t", 9);
            transactions.end(next, true);
            transactions.awaitState("x", "CompleteCommit");
            whole.add("n");
            assertEquals(whole, transactions.visible("t"));
            assertEquals(firstSeen ? List.of("b", "m") : List.of("m"), transactions.visible("u"));
            assertEquals(9, transactions.committed("g"));
            nothingIsOpen();
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void everyCrashLeavesWholeTransactions(Protocol protocol) {
        for (boolean commit : new boolean[] {true, false}) {
            History whole = new History(protocol, commit, World.HEALTHY);
            long begin = whole.operations();
            whole.judgeSameProducer();
            long operations = whole.operations() - begin;
            assertTrue(operations >= OPERATIONS, "the history has only " + operations + " operations");
            int crashes = 0;
            for (Crash crash : Crash.values()) {
                for (long at = 0; at < operations; at++) {
                    crashes += crash(new Case(protocol, commit, crash, at, false), World.HEALTHY);
                    crashes += crash(new Case(protocol, commit, crash, at, true), World.HEALTHY);
                }
            }
            assertTrue(crashes > 6 * operations, crashes + " crashes at " + operations + " operations");
        }
    }

    /** With several disks the records of one transaction become durable in any order. */
    private record World(int seed, int disks, Mutations planted) {
        private static final World HEALTHY = new World(SEED, 1, Mutations.NONE);
    }

    private record Case(Protocol protocol, boolean commit, Crash crash, long at, boolean successor) {}

    private static int crash(Case it, World world) {
        History history = new History(it.protocol, it.commit, world);
        boolean crashed = history.crashes(it.at, it.crash.fault);
        try {
            if (crashed) {
                history.recover(it.crash.power);
            }
            if (it.successor) {
                history.judgeSuccessor();
            } else {
                history.judgeSameProducer();
            }
        } catch (AssertionError e) {
            throw new AssertionError(it + ", in step " + history.step, e);
        }
        return crashed ? 1 : 0;
    }

    /** The test has teeth. */
    @ParameterizedTest
    @ValueSource(strings = {"offsets-before-commit", "txn-markers-before-decision"})
    void plantedBugsAreFound(String mutation) {
        for (int seed = SEED; seed < SEED + SEEDS; seed++) {
            if (isFound(new World(seed, 2, mutation::equals))) {
                assertFalse(isFound(new World(seed, 2, Mutations.NONE)), "found without the bug, seed " + seed);
                return;
            }
        }
        fail(mutation + " was not found");
    }

    private static boolean isFound(World world) {
        for (long at = 0; at < OPERATIONS; at++) {
            for (Crash crash : Crash.values()) {
                for (int mode = 0; mode < 4; mode++) {
                    Case it = new Case(Protocol.SECOND, mode % 2 == 0, crash, at, mode < 2);
                    try {
                        crash(it, world);
                    } catch (AssertionError | RuleBroken found) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
