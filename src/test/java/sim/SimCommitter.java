package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * A consumer that assigns itself (a group without members), alone in its group: commits, reads and deletes offsets, deletes its group, one after another.
 * Knows per partition which values are possible: what was done last, and what has an unknown outcome, which may still come for a while (rules G8, G10).
 */
final class SimCommitter implements SimClient {
    private static final String NOTHING = "-1 ";
    /** How long after its connection ended a request may still take effect. */
    private static final long LATE = 20_000 * SimScheduler.MILLI;

    private final SimNet net;
    private final SimRandom random;
    private final String group;
    private final String topic;
    private final Map<Integer, Known> known = new LinkedHashMap<>();
    private final SimCoordination coordination;
    private boolean busy;
    private boolean working = true;
    private long last = 99;

    /** One partition's possible values, and until when those of an unknown outcome may still come. */
    private static final class Known {
        private final Set<String> possible = new LinkedHashSet<>(List.of(NOTHING));
        private final Map<String, Long> late = new LinkedHashMap<>();

        private void unknown(String value, long now) {
            late.put(value, now + LATE);
            possible.add(value);
        }

        /** It was {@code value} at some time after {@code begun}. */
        private void is(String value, long begun) {
            late.values().removeIf(until -> until < begun);
            possible.clear();
            possible.add(value);
            possible.addAll(late.keySet());
        }
    }

    SimCommitter(SimNet net, SimRandom random, String name, String topic, List<Integer> partitions) {
        this.net = net;
        this.random = random;
        this.group = name + "-group";
        this.topic = topic;
        partitions.forEach(each -> known.put(each, new Known()));
        this.coordination = new SimCoordination(net, random, name, group, () -> busy = false);
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
        return busy ? group + " waits for an answer" : null;
    }

    @Override
    public void stop() {
        working = false;
        coordination.stop();
    }

    private void tick() {
        net.scheduler().after((5 + random.below(150)) * SimScheduler.MILLI, null, "committer", () -> {
            if (working) {
                if (coordination.ready() && !busy) {
                    act();
                }
                tick();
            }
        });
    }

    private void act() {
        int dice = random.below(100);
        if (dice < 55) {
            commit();
        } else if (dice < 85) {
            read();
        } else if (dice < 95) {
            deleteOffset();
        } else {
            deleteGroup();
        }
    }

    private interface Answer {
        /** @param begun when the request was sent */
        void handle(ApiMessage answer, long begun);
    }

    private void send(ApiKeys key, short version, ApiMessage request, Runnable unknown, Answer then) {
        busy = true;
        long begun = net.scheduler().now();
        coordination.link().send(key, version, request, 8_000, true, answer -> {
            busy = false;
            if (answer == null) {
                unknown.run();
            } else {
                then.handle(answer, begun);
            }
        });
    }

    private void later(Errors error, String what, Runnable unknown) {
        if (!coordination.later(error)) {
            throw new RuleBroken("V3 errors", error + " for " + what + " of " + group);
        }
        unknown.run();
    }

    private int somePartition() {
        return new ArrayList<>(known.keySet()).get(random.below(known.size()));
    }

    private void commit() {
        int partition = somePartition();
        Known place = known.get(partition);
        long offset = ++last;
        String text = random.chance(0.5) ? "" : "of " + offset;
        OffsetCommitRequestTopic committed = new OffsetCommitRequestTopic().setName(topic);
        committed
                .partitions()
                .add(new OffsetCommitRequestPartition()
                        .setPartitionIndex(partition)
                        .setCommittedOffset(offset)
                        .setCommittedMetadata(text));
        OffsetCommitRequestData request =
                new OffsetCommitRequestData().setGroupId(group).setTopics(List.of(committed));
        Runnable unknown =
                () -> place.unknown(offset + " " + text, net.scheduler().now());
        send(ApiKeys.OFFSET_COMMIT, (short) random.between(2, 9), request, unknown, (answer, begun) -> {
            Errors error = Errors.forCode(((OffsetCommitResponseData) answer)
                    .topics()
                    .get(0)
                    .partitions()
                    .get(0)
                    .errorCode());
            net.count("simple-commit." + error);
            if (error == Errors.NONE) {
                place.is(offset + " " + text, begun);
            } else {
                later(error, "a commit", unknown);
            }
        });
    }

    private OffsetFetchRequestData readRequest() {
        return new OffsetFetchRequestData()
                .setGroupId(group)
                .setTopics(List.of(new OffsetFetchRequestTopic()
                        .setName(topic)
                        .setPartitionIndexes(new ArrayList<>(known.keySet()))));
    }

    private void read() {
        send(ApiKeys.OFFSET_FETCH, (short) random.between(2, 7), readRequest(), () -> {}, (answer, begun) -> {
            OffsetFetchResponseData data = (OffsetFetchResponseData) answer;
            Errors error = Errors.forCode(data.errorCode());
            net.count("simple-read." + error);
            if (error == Errors.NONE) {
                found(data, begun);
            } else {
                later(error, "a read", () -> {});
            }
        });
    }

    private void found(OffsetFetchResponseData answer, long begun) {
        for (var each : answer.topics().get(0).partitions()) {
            Known place = known.get(each.partitionIndex());
            String value = each.committedOffset() + " " + each.metadata();
            if (!place.possible.contains(value)) {
                throw new RuleBroken(
                        "G8 committed offset",
                        group + "/" + topic + "-" + each.partitionIndex() + ": a read gave \"" + value
                                + "\", possible is " + place.possible);
            }
            place.is(value, begun);
        }
    }

    private void deleteOffset() {
        int partition = somePartition();
        Known place = known.get(partition);
        OffsetDeleteRequestTopicCollection topics = new OffsetDeleteRequestTopicCollection();
        topics.add(new OffsetDeleteRequestTopic()
                .setName(topic)
                .setPartitions(List.of(new OffsetDeleteRequestPartition().setPartitionIndex(partition))));
        OffsetDeleteRequestData request =
                new OffsetDeleteRequestData().setGroupId(group).setTopics(topics);
        Runnable unknown = () -> place.unknown(NOTHING, net.scheduler().now());
        send(ApiKeys.OFFSET_DELETE, (short) 0, request, unknown, (answer, begun) -> {
            OffsetDeleteResponseData data = (OffsetDeleteResponseData) answer;
            Errors error = Errors.forCode(data.errorCode());
            net.count("offset-delete." + error);
            if (error == Errors.NONE) {
                place.is(NOTHING, begun);
            } else if (error == Errors.GROUP_ID_NOT_FOUND) {
                noGroup(begun);
            } else {
                later(error, "OffsetDelete", unknown);
            }
        });
    }

    private void deleteGroup() {
        DeleteGroupsRequestData request = new DeleteGroupsRequestData().setGroupsNames(List.of(group));
        Runnable unknown = () -> known.values()
                .forEach(each -> each.unknown(NOTHING, net.scheduler().now()));
        send(ApiKeys.DELETE_GROUPS, (short) random.between(0, 2), request, unknown, (answer, begun) -> {
            Errors error = Errors.forCode(((DeleteGroupsResponseData) answer)
                    .results()
                    .iterator()
                    .next()
                    .errorCode());
            net.count("group-delete." + error);
            if (error == Errors.NONE) {
                known.values().forEach(each -> each.is(NOTHING, begun));
            } else if (error == Errors.GROUP_ID_NOT_FOUND) {
                noGroup(begun);
            } else {
                later(error, "DeleteGroups", unknown);
            }
        });
    }

    /** Said: there is no such group. Then it has no offsets. */
    private void noGroup(long begun) {
        known.forEach((partition, place) -> {
            if (!place.possible.contains(NOTHING)) {
                throw new RuleBroken(
                        "G8 committed offset",
                        group + " is said not to exist, but " + topic + "-" + partition + " may be " + place.possible);
            }
            place.is(NOTHING, begun);
        });
    }

    /** After all faults: what is there is possible. */
    void judge(SimFinalReader reader) {
        OffsetFetchResponseData answer =
                (OffsetFetchResponseData) reader.call(ApiKeys.OFFSET_FETCH, (short) 7, readRequest());
        if (answer.errorCode() != Errors.NONE.code()) {
            throw new RuleBroken("L4 answers after heal", group + ": " + Errors.forCode(answer.errorCode()));
        }
        found(answer, net.scheduler().now());
    }
}
