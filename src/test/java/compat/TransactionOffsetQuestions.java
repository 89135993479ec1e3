package compat;

import compat.TransactionSteps.Writer;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;

/** What is asked about offsets that are committed in transactions (rule T10), and of groups that wait for those. */
final class TransactionOffsetQuestions {
    private static final String TOPIC = "counted";
    private static final Uuid UNHEARD = new Uuid(5, 6);
    private static final short FETCH_GROUPS = 8;
    private static final short FETCH_IDS = 10;
    private static final short COMMIT_IDS = 6;
    /** First version that makes the group's partition part of the transaction. */
    private static final short ADDS = 5;

    private static final short GENERATIONS = 3;

    private final Conversation talk;
    private final TransactionSteps steps;
    private final Map<String, Writer> writers = new HashMap<>();

    private TransactionOffsetQuestions(Conversation talk) {
        this.talk = talk;
        this.steps = new TransactionSteps(talk, TOPIC);
    }

    static void ask(Conversation talk) throws IOException {
        talk.askLatest(
                "create a topic for counted records",
                ApiKeys.CREATE_TOPICS,
                AdminQuestions.topics(AdminQuestions.topic(TOPIC, 3, 1)));
        MetadataRequestData whatIsItsId = new MetadataRequestData();
        whatIsItsId.topics().add(new MetadataRequestTopic().setName(TOPIC));
        talk.askLatest("its id", ApiKeys.METADATA, whatIsItsId);
        TransactionOffsetQuestions questions = new TransactionOffsetQuestions(talk);
        talk.awaitCoordinator("any");
        questions.steps.awaitCoordinator();
        questions.claims();
        questions.places();
        questions.members();
        questions.visibility();
        questions.overtaking();
    }

    private TxnOffsetCommitRequestData commit(short version, Writer writer, String group, int partition, long offset) {
        return commit(version, writer, group, TOPIC, partition, offset);
    }

    private TxnOffsetCommitRequestData commit(
            short version, Writer writer, String group, String topic, int partition, long offset) {
        TxnOffsetCommitRequestTopic to = version >= COMMIT_IDS
                ? new TxnOffsetCommitRequestTopic().setTopicId(topic.equals(TOPIC) ? talk.idOf(TOPIC) : UNHEARD)
                : new TxnOffsetCommitRequestTopic().setName(topic);
        to.partitions()
                .add(new TxnOffsetCommitRequestPartition()
                        .setPartitionIndex(partition)
                        .setCommittedOffset(offset)
                        .setCommittedMetadata("m"));
        return new TxnOffsetCommitRequestData()
                .setTransactionalId(writer.id())
                .setGroupId(group)
                .setProducerId(writer.producerId())
                .setProducerEpoch(writer.epoch())
                .setTopics(List.of(to));
    }

    private void committed(String label, UnaryOperator<Writer> prepare, UnaryOperator<Writer> claim) {
        talk.ask("commit in a transaction " + label, ApiKeys.TXN_OFFSET_COMMIT, (v, s) -> {
            Writer writer = prepare.apply(writers.computeIfAbsent("counts-" + s, steps::init));
            writers.put("counts-" + s, writer);
            return commit(v, claim.apply(writer), "counted-" + s, 0, 10);
        });
    }

    private void claims() {
        UnaryOperator<Writer> as = UnaryOperator.identity();
        committed("of nobody", as, writer -> writer.named("nobody"));
        committed("by another producer", as, writer -> writer.producer(77_777));
        committed("in a higher epoch", as, writer -> writer.epoch(writer.epoch() + 3));
        committed("in a negative epoch", as, writer -> writer.epoch(-1));
        committed("without a name", as, writer -> writer.named(""));
        committed("that has not begun", as, as);
        committed(
                "of which it is part",
                writer -> steps.addedOffsets(writer, "counted-" + writer.id().substring(7)),
                as);
        committed("of which it is part, again", as, as);
        committed("of which it is part, in a higher epoch", as, writer -> writer.epoch(writer.epoch() + 3));
        committed("that has ended", writer -> steps.ended(writer, TransactionSteps.END_1, true), as);
        committed(
                "of one that was fenced",
                writer -> {
                    steps.initOnce(writer.id());
                    return writer;
                },
                as);
    }

    private Writer open(String id, String group) {
        return steps.addedOffsets(steps.init(id), group);
    }

    private void placed(String label, UnaryOperator<TxnOffsetCommitRequestData> change) {
        talk.ask("commit in a transaction " + label, ApiKeys.TXN_OFFSET_COMMIT, (v, s) -> {
            Writer writer = writers.computeIfAbsent("places-" + s, id -> open(id, "placed-" + s));
            TxnOffsetCommitRequestData request = change.apply(commit(v, writer, "placed-" + s, 1, 7));
            return request;
        });
    }

    private void places() {
        placed("no partition", request -> onPartition(request, 9));
        placed("a negative partition", request -> onPartition(request, -1));
        placed("no topics", request -> request.setTopics(List.of()));
        placed("too many words", request -> {
            request.topics().get(0).partitions().get(0).setCommittedMetadata("w".repeat(5_000));
            return request;
        });
        placed("no words", request -> {
            request.topics().get(0).partitions().get(0).setCommittedMetadata(null);
            return request;
        });
        placed("a negative offset", request -> {
            request.topics().get(0).partitions().get(0).setCommittedOffset(-5);
            return request;
        });
        placed("for the empty group", request -> request.setGroupId(""));
        talk.ask(
                "commit in a transaction nobody's topic",
                ApiKeys.TXN_OFFSET_COMMIT,
                (v, s) -> commit(v, writers.get("places-" + s), "placed-" + s, "nobody", 0, 7));
        fetched("of what was placed", "placed-v5", false);
    }

    private static TxnOffsetCommitRequestData onPartition(TxnOffsetCommitRequestData request, int partition) {
        request.topics().get(0).partitions().get(0).setPartitionIndex(partition);
        return request;
    }

    private void members() {
        for (String group : List.of("placed-", "unheard-")) {
            for (int generation : new int[] {-2, -1, 0, 1}) {
                for (String member : List.of("", "m")) {
                    talk.ask(
                            "commit in a transaction as member '" + member + "' of " + group + " in " + generation,
                            ApiKeys.TXN_OFFSET_COMMIT,
                            (v, s) -> v < GENERATIONS
                                    ? null
                                    : commit(v, part(v, s, group), group + s, 1, 7)
                                            .setMemberId(member)
                                            .setGenerationIdOrMemberEpoch(generation));
                }
            }
            talk.ask(
                    "commit in a transaction as an instance of " + group,
                    ApiKeys.TXN_OFFSET_COMMIT,
                    (v, s) -> v < GENERATIONS
                            ? null
                            : commit(v, part(v, s, group), group + s, 1, 7)
                                    .setGroupInstanceId("i")
                                    .setMemberId("m")
                                    .setGenerationIdOrMemberEpoch(1));
        }
    }

    private Writer part(short version, String suffix, String group) {
        Writer writer = writers.get("places-" + suffix);
        return version < ADDS ? steps.addedOffsets(writer, group + suffix) : writer;
    }

    // ---- OffsetFetch

    private OffsetFetchRequestData fetch(short version, String group, boolean stable, boolean all) {
        if (version < FETCH_GROUPS) {
            OffsetFetchRequestTopic asked =
                    new OffsetFetchRequestTopic().setName(TOPIC).setPartitionIndexes(List.of(0, 1, 2));
            return new OffsetFetchRequestData()
                    .setGroupId(group)
                    .setTopics(all ? null : List.of(asked))
                    .setRequireStable(stable);
        }
        OffsetFetchRequestTopics asked = new OffsetFetchRequestTopics().setPartitionIndexes(List.of(0, 1, 2));
        if (version >= FETCH_IDS) {
            asked.setTopicId(talk.idOf(TOPIC));
        } else {
            asked.setName(TOPIC);
        }
        return new OffsetFetchRequestData()
                .setRequireStable(stable)
                .setGroups(List.of(
                        new OffsetFetchRequestGroup().setGroupId(group).setTopics(all ? null : List.of(asked))));
    }

    private void fetched(String label, String group, boolean all) {
        for (boolean stable : new boolean[] {false, true}) {
            talk.ask(
                    "fetch offsets " + label + (stable ? ", stable" : "") + (all ? ", all" : ""),
                    ApiKeys.OFFSET_FETCH,
                    (v, s) -> (stable && v < 7) || (all && v < 2) ? null : fetch(v, group, stable, all));
        }
    }

    private void looked(String label, String group) {
        fetched(label, group, false);
        fetched(label, group, true);
    }

    private void commitNow(Writer writer, String group, int partition, long offset) {
        talk.step(ApiKeys.TXN_OFFSET_COMMIT, ADDS, commit(ADDS, writer, group, partition, offset));
    }

    private void visibility() {
        Writer writer = steps.init("visible");
        commitNow(writer, "visible", 0, 10);
        looked("of a first that is pending", "visible");
        talk.ask(
                "delete the group of a pending offset",
                ApiKeys.DELETE_GROUPS,
                (v, s) -> new DeleteGroupsRequestData().setGroupsNames(List.of("visible")));
        looked("whose group was to be deleted", "visible");
        writer = steps.ended(writer, TransactionSteps.END_2, true);
        looked("that were committed", "visible");
        commitNow(writer, "visible", 0, 11);
        commitNow(writer, "visible", 1, 3);
        looked("of which some are pending", "visible");
        writer = steps.ended(writer, TransactionSteps.END_2, false);
        looked("that were aborted", "visible");
        Writer other = steps.init("visible-2");
        commitNow(writer, "visible", 0, 12);
        commitNow(other, "visible", 0, 13);
        looked("of two that are pending", "visible");
        steps.ended(other, TransactionSteps.END_2, true);
        looked("of two of which one is pending", "visible");
        steps.ended(writer, TransactionSteps.END_2, true);
        looked("of two that were committed", "visible");
    }

    /** A commit outside of transactions comes between. */
    private void overtaking() {
        Writer writer = steps.init("overtaken");
        commitNow(writer, "overtaken", 0, 10);
        OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName(TOPIC);
        topic.partitions()
                .add(new OffsetCommitRequestPartition()
                        .setPartitionIndex(0)
                        .setCommittedOffset(20)
                        .setCommittedMetadata("plain"));
        talk.step(
                ApiKeys.OFFSET_COMMIT,
                9,
                new OffsetCommitRequestData()
                        .setGroupId("overtaken")
                        .setGenerationIdOrMemberEpoch(-1)
                        .setTopics(List.of(topic)));
        looked("that were overtaken while pending", "overtaken");
        steps.ended(writer, TransactionSteps.END_2, true);
        looked("that were overtaken", "overtaken");
        talk.ask(
                "delete the group afterwards",
                ApiKeys.DELETE_GROUPS,
                (v, s) -> new DeleteGroupsRequestData().setGroupsNames(List.of(v == 0 ? "overtaken" : "visible")));
        looked("of a group that was deleted", "visible");
    }
}
