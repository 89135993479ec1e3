package sim;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A transactional producer: transactions of a few records in a few partitions, some with an offset of its own group, some aborted, some open for longer than they
 * may. The offset is the transaction's number, so it tells which one is the last that counts.
 */
final class SimTxnProducer implements SimTxnSlot.Instance {
    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final SimTxnId id;
    private final Spec spec;
    private final SimTxnClient client;
    private final List<SimTxnPartition> partitions;
    private boolean working = true;
    private boolean over;
    private boolean idle;
    private int values;

    /** @param group in which the offsets are; those of partition 0 of {@code topic} */
    record Spec(String group, String topic, int maxRecords, int intervalMillis, SimTxnClient.Spec client) {}

    SimTxnProducer(
            SimNet net, SimRandom random, String name, SimTxnId id, Spec spec, List<SimTxnPartition> partitions) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.id = id;
        this.spec = spec;
        this.partitions = partitions;
        this.client = new SimTxnClient(net, random, name, id, spec.client);
    }

    @Override
    public void start() {
        client.start();
        next();
    }

    @Override
    public void kill() {
        over = true;
        client.stop();
    }

    @Override
    public boolean over() {
        return over;
    }

    @Override
    public void quiesce() {
        working = false;
    }

    @Override
    public String unfinished() {
        return over || idle ? null : name + " has begun " + client.open();
    }

    private void pause(int millis, Runnable then) {
        net.scheduler().after((1L + random.below(millis)) * SimScheduler.MILLI, null, "txn-work", () -> {
            if (!over) {
                then.run();
            }
        });
    }

    private void next() {
        idle = !working;
        if (idle) {
            return;
        }
        if (client.needsInit()) {
            client.init(outcome -> then(outcome, this::next));
            return;
        }
        client.begin(id.begin());
        step(1 + random.below(3));
    }

    /** Goes on, aborts, or ends for good. */
    private void then(SimTxnClient.Outcome outcome, Runnable done) {
        switch (outcome) {
            case DONE -> pause(spec.intervalMillis, done);
            case ABORT -> pause(spec.intervalMillis, () -> end(false));
            case OVER -> {
                net.count("txn.fenced");
                kill();
            }
        }
    }

    private void step(int left) {
        if (left == 0) {
            finish();
            return;
        }
        Set<SimTxnPartition> some = new LinkedHashSet<>();
        for (int i = 0; i <= random.below(2); i++) {
            some.add(partitions.get(random.below(partitions.size())));
        }
        int[] pending = {some.size()};
        SimTxnClient.Outcome[] worst = {SimTxnClient.Outcome.DONE};
        for (SimTxnPartition each : some) {
            client.produce(each, batch(), outcome -> {
                worst[0] = outcome.compareTo(worst[0]) > 0 ? outcome : worst[0];
                if (--pending[0] == 0) {
                    then(worst[0], () -> step(left - 1));
                }
            });
        }
    }

    private List<String> batch() {
        List<String> batch = new ArrayList<>();
        int count = 1 + random.below(spec.maxRecords);
        for (int i = 0; i < count; i++) {
            batch.add(name + "." + client.open().number + "." + values++);
        }
        return batch;
    }

    private void finish() {
        if (working && random.chance(0.03)) {
            net.count("txn.long");
            pause(2 * spec.client.timeoutMillis(), () -> end(random.chance(0.7)));
        } else if (random.chance(0.4)) {
            client.open().offset = true;
            client.offsets(
                    SimTxnClient.Member.alone(spec.group),
                    spec.topic,
                    Map.of(0, client.open().number),
                    outcome -> then(outcome, () -> end(random.chance(0.7))));
        } else {
            end(random.chance(0.7));
        }
    }

    private void end(boolean commit) {
        client.end(commit, outcome -> then(outcome, this::next));
    }
}
