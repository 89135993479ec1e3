package sim;

import common.InvariantViolation;
import common.Mutations;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;

/** One run: a seed and overrides of its profile give the same run every time. */
final class SimRun {
    /** A hundred times what a run takes. */
    private static final long MOST_EVENTS = 3_000_000;

    /**
     * What came of it.
     *
     * @param broken name of the broken rule; null when all held
     * @param block for people, when a rule was broken
     */
    record Report(
            long seed,
            String broken,
            String block,
            long traceHash,
            long events,
            long virtualMillis,
            Map<String, Integer> counts) {}

    private final long seed;
    private final Map<String, String> overrides;
    private final Mutations mutations;
    private final String replay;
    private SimDecisions decisions;
    private SimTrace trace;
    private Runnable guard = () -> {};
    private long until = Long.MAX_VALUE;

    /** @param replay the command that runs the same again, for the report */
    SimRun(long seed, Map<String, String> overrides, Mutations mutations, String replay) {
        this.seed = seed;
        this.overrides = overrides;
        this.mutations = mutations;
        this.replay = replay;
    }

    /** Records into, or replays from. */
    SimRun decisions(SimDecisions all) {
        decisions = all;
        return this;
    }

    SimRun trace(SimTrace sink) {
        trace = sink;
        return this;
    }

    /** @param check asked now and then; throws to end the run */
    SimRun guard(Runnable check) {
        guard = check;
        return this;
    }

    /** Stops after so many events, and says what the nodes are like then. */
    SimRun until(long event) {
        until = event;
        return this;
    }

    Report run() {
        SimRandom random = new SimRandom(seed, decisions, "");
        Map<String, String> settings = new LinkedHashMap<>();
        if (decisions != null && decisions.replaying()) {
            settings.putAll(decisions.settings());
        }
        settings.putAll(overrides);
        SimProfile profile = new SimProfile(random.split("profile"), settings);
        if (decisions != null && !decisions.replaying()) {
            decisions.settings().putAll(profile.settings());
        }
        SimWorld world = new SimWorld(random, profile, mutations);
        world.scheduler().limit(Math.min(until, MOST_EVENTS));
        world.scheduler().trace(trace);
        world.scheduler().guard(guard);
        try {
            world.warmUp();
            world.storm();
            world.heal();
            world.groupsSettle();
            world.stopClients();
            world.copiesAgree();
            Judged first = judge(world, "final");
            if (profile.get("reread") > 0) {
                reread(world, first);
            }
        } catch (RuleBroken e) {
            return report(world, profile, e.rule(), e);
        } catch (InvariantViolation e) {
            return report(world, profile, "invariant", e);
        } catch (RuntimeException | Error e) {
            return report(world, profile, "exception", e);
        }
        return report(world, profile, null, null);
    }

    /** All that is there at the end. */
    private record Judged(
            Map<String, List<PartitionLedger.Found>> records, List<String> groups, List<String> transactions) {}

    private static void reread(SimWorld world, Judged first) {
        world.restart(world.ending());
        Judged second = judge(world, "reread");
        if (!second.groups.equals(first.groups)) {
            throw new RuleBroken("G8 equal after restart", first.groups + " before, after: " + second.groups);
        }
        if (!second.transactions.equals(first.transactions)) {
            throw new RuleBroken("T9 equal after restart", difference(first.transactions, second.transactions));
        }
        for (PartitionLedger ledger : world.ledgers()) {
            List<PartitionLedger.Found> before = first.records.get(ledger.name());
            List<PartitionLedger.Found> after = second.records.get(ledger.name());
            int skip = ledger.trimmed ? Math.max(0, before.size() - after.size()) : 0;
            if (!before.subList(skip, before.size()).equals(after)) {
                throw new RuleBroken(
                        "V2 equal after restart",
                        ledger.name() + ": " + before.size() + " records before, " + after.size() + " after");
            }
        }
    }

    private static String difference(List<String> before, List<String> after) {
        for (int i = 0; i < Math.min(before.size(), after.size()); i++) {
            if (!before.get(i).equals(after.get(i))) {
                return before.get(i) + " before, after: " + after.get(i);
            }
        }
        return before.size() + " lines before, after: " + after.size();
    }

    private static Judged judge(SimWorld world, String name) {
        Map<String, List<PartitionLedger.Found>> all = new LinkedHashMap<>();
        SimFinalReader reader = new SimFinalReader(world, world.random().split(name), name);
        for (PartitionLedger ledger : world.ledgers()) {
            long start = reader.offset(ledger, -2);
            List<PartitionLedger.Found> content = reader.read(ledger, start, reader.offset(ledger, -1));
            ledger.judge(start, content);
            boolean complete = start == 0 && !ledger.lossy() && !ledger.trimmed;
            producers(ledger, SequenceJudge.recompute(ledger.name(), content, complete), reader.producers(ledger));
            times(ledger, content, reader);
            all.put(ledger.name(), content);
        }
        SimAdminJudge.judge(world.admins(), reader);
        for (SimChurn churn : world.churns()) {
            PartitionLedger live = churn.live();
            if (live != null) {
                long start = reader.offset(live, -2);
                live.judge(start, reader.read(live, start, reader.offset(live, -1)));
            }
        }
        List<String> groups = SimGroupJudge.judge(world, reader);
        long patience = world.profile().get("txnTimeout") + 10_000L;
        List<String> transactions = SimTxnJudge.judge(world, world.transactions(), reader, patience);
        reader.stop();
        world.scheduler().runFor(2_000 * SimScheduler.MILLI);
        return new Judged(all, groups, transactions);
    }

    private static void producers(
            PartitionLedger ledger, Map<Long, SequenceJudge.Expected> expected, Map<Long, ProducerState> said) {
        expected.forEach((id, state) -> {
            ProducerState got = said.get(id);
            boolean same = got != null
                    && got.producerEpoch() == state.epoch
                    && got.lastSequence() == state.lastSequence
                    && got.lastTimestamp() == state.lastTimestamp;
            if (!same) {
                throw new RuleBroken(
                        "P4 producer state",
                        ledger.name() + " producer " + id + ": last sequence " + state.lastSequence + " at "
                                + state.lastTimestamp + " in the log, but the broker says " + got);
            }
        });
        if (!ledger.trimmed && said.size() != expected.size()) {
            throw new RuleBroken(
                    "P4 producer state", ledger.name() + ": " + said.keySet() + ", log has " + expected.keySet());
        }
    }

    /** ListOffsets by time agrees with the records (S9). */
    private static void times(PartitionLedger ledger, List<PartitionLedger.Found> content, SimFinalReader reader) {
        if (ledger.trimmed) {
            return;
        }
        for (int i = 0; i < content.size(); i += 1 + content.size() / 4) {
            long asked = content.get(i).timestamp();
            long expected = content.stream()
                    .filter(each -> each.timestamp() >= asked)
                    .findFirst()
                    .orElseThrow()
                    .offset();
            long got = reader.offset(ledger, asked);
            if (got != expected) {
                throw new RuleBroken(
                        "S9 times", ledger.name() + " at " + asked + ": " + got + ", expected " + expected);
            }
        }
    }

    private Report report(SimWorld world, SimProfile profile, String rule, Throwable cause) {
        SimScheduler time = world.scheduler();
        String block = null;
        if (rule != null) {
            StringBuilder text = new StringBuilder();
            text.append("=== broken: ").append(rule).append('\n');
            text.append("seed     ").append(seed).append('\n');
            text.append("profile  ").append(profile).append('\n');
            text.append("time     ")
                    .append(time.now() / 1e6)
                    .append(" ms, event ")
                    .append(time.executed())
                    .append('\n');
            text.append("values   ").append(cause.getMessage()).append('\n');
            text.append("counts   ").append(world.counts()).append('\n');
            text.append("last events\n");
            time.recent(50).forEach(line -> text.append("  ").append(line).append('\n'));
            if (!(cause instanceof RuleBroken)) {
                StringWriter stack = new StringWriter();
                cause.printStackTrace(new PrintWriter(stack));
                text.append(stack);
            }
            if (until < MOST_EVENTS) {
                text.append("nodes    ").append(world.dump()).append('\n');
            }
            text.append("replay   ").append(replay).append('\n');
            block = text.toString();
        }
        Map<String, Integer> counts = new TreeMap<>(world.counts());
        world.machines().forEach(each -> each.addCounts(counts));
        profile.features().forEach(each -> counts.put("run." + each, 1));
        return new Report(
                seed, rule, block, time.traceHash(), time.executed(), time.now() / SimScheduler.MILLI, counts);
    }
}
