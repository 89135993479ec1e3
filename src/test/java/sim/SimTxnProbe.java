package sim;

import java.util.List;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** Asks for the offsets that transactional producers commit: only with their transactions, and never back (rules T9, T10). */
final class SimTxnProbe implements SimClient {
    private final SimNet net;
    private final SimRandom random;
    private final String topic;
    private final String group;
    private final SimTxnId id;
    private final SimCoordination coordination;
    private boolean working = true;
    private boolean busy;
    private long newest;

    SimTxnProbe(SimNet net, SimRandom random, String group, String topic, SimTxnId id) {
        this.net = net;
        this.random = random;
        this.topic = topic;
        this.group = group;
        this.id = id;
        this.coordination = new SimCoordination(net, random, group + "/probe", group, () -> busy = false);
    }

    @Override
    public void start() {
        coordination.start();
        tick();
    }

    @Override
    public void quiesce() {
        working = false;
    }

    @Override
    public String unfinished() {
        return null;
    }

    @Override
    public void stop() {
        working = false;
        coordination.stop();
    }

    private void tick() {
        net.scheduler().after((1 + random.below(60)) * SimScheduler.MILLI, null, "txn-probe", () -> {
            if (working) {
                if (!busy && coordination.ready()) {
                    ask();
                }
                tick();
            }
        });
    }

    private void ask() {
        busy = true;
        boolean stable = random.chance(0.6);
        long committed = id.committedOffset();
        long known = newest;
        coordination.link().send(ApiKeys.OFFSET_FETCH, (short) 7, request(stable), 2_000, true, answer -> {
            busy = false;
            if (answer != null) {
                answered(answer, stable, known, committed);
            }
        });
    }

    private OffsetFetchRequestData request(boolean stable) {
        return new OffsetFetchRequestData()
                .setGroupId(group)
                .setRequireStable(stable)
                .setTopics(List.of(new OffsetFetchRequestTopic().setName(topic).setPartitionIndexes(List.of(0))));
    }

    private void answered(ApiMessage answer, boolean stable, long known, long committed) {
        OffsetFetchResponseData data = (OffsetFetchResponseData) answer;
        Errors error = Errors.forCode(data.errorCode());
        OffsetFetchResponsePartition place =
                error == Errors.NONE ? data.topics().get(0).partitions().get(0) : null;
        error = place == null ? error : Errors.forCode(place.errorCode());
        net.count("txn-offsets." + error);
        if (error == Errors.NONE) {
            judge(place.committedOffset(), known, stable ? committed : 0);
        } else if (error != Errors.UNSTABLE_OFFSET_COMMIT && !coordination.later(error)) {
            throw new RuleBroken("V3 errors", error + " for OffsetFetch of " + group);
        }
    }

    /** Both were seen, or answered as committed, before this was asked. */
    private void judge(long offset, long known, long committed) {
        long found = Math.max(0, offset);
        if (found < known || found < committed) {
            throw new RuleBroken(
                    "T10 G8 committed offset",
                    group + ": " + offset + ", but " + known + " was seen and " + committed + " committed before");
        }
        if (found > 0 && !id.transactions.get((int) found - 1).mayBeVisible()) {
            throw new RuleBroken(
                    "T10 offsets with their transaction only",
                    group + ": " + offset + " of " + id.transactions.get((int) found - 1));
        }
        newest = Math.max(newest, found);
    }

    /** Whose offsets these are. */
    SimTxnId id() {
        return id;
    }

    /** After all faults. */
    long last(SimFinalReader reader) {
        OffsetFetchResponseData data =
                (OffsetFetchResponseData) reader.call(ApiKeys.OFFSET_FETCH, (short) 7, request(true));
        OffsetFetchResponsePartition place = data.errorCode() == Errors.NONE.code()
                ? data.topics().get(0).partitions().get(0)
                : new OffsetFetchResponsePartition().setErrorCode(data.errorCode());
        if (place.errorCode() != Errors.NONE.code()) {
            throw new RuleBroken(
                    "L5 no transaction holds a group back", group + ": " + Errors.forCode(place.errorCode()));
        }
        judge(place.committedOffset(), newest, id.committedOffset());
        return Math.max(0, place.committedOffset());
    }
}
