package compat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.protocol.ApiKeys;

/** What is asked about committed offsets, and of groups that have no members: every version, right and wrong. */
final class OffsetQuestions {
    private static final String TOPIC = "offsets";
    private static final String NOBODY = "nobody";
    private static final Uuid UNHEARD = new Uuid(5, 6);
    private static final short COMMIT_IDS = 10;
    private static final short FETCH_GROUPS = 8;
    private static final short FETCH_IDS = 10;

    private final Conversation talk;

    private OffsetQuestions(Conversation talk) {
        this.talk = talk;
    }

    static void ask(Conversation talk) throws IOException {
        talk.askLatest(
                "create a topic for offsets",
                ApiKeys.CREATE_TOPICS,
                AdminQuestions.topics(AdminQuestions.topic(TOPIC, 3, 1)));
        MetadataRequestData whatIsItsId = new MetadataRequestData();
        whatIsItsId.topics().add(new MetadataRequestTopic().setName(TOPIC));
        talk.askLatest("its id", ApiKeys.METADATA, whatIsItsId);
        OffsetQuestions questions = new OffsetQuestions(talk);
        questions.beforeThereAreGroups();
        talk.awaitCoordinator("simple");
        questions.commits();
        questions.commitsWronglyPlaced();
        questions.commitsByNoMember();
        questions.commitsOfOld();
        questions.fetches();
        questions.fetchesOfSeveral();
        questions.listings();
        questions.descriptions();
        questions.deletions();
        questions.groupDeletions();
    }

    // ---- building requests

    private Uuid idOf(String topic) {
        return topic.equals(TOPIC) ? talk.idOf(TOPIC) : UNHEARD;
    }

    private static OffsetCommitRequestPartition at(int partition, long offset, String metadata) {
        return new OffsetCommitRequestPartition()
                .setPartitionIndex(partition)
                .setCommittedOffset(offset)
                .setCommittedMetadata(metadata);
    }

    private OffsetCommitRequestTopic topic(short version, String name, OffsetCommitRequestPartition... partitions) {
        OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setPartitions(List.of(partitions));
        return version >= COMMIT_IDS ? topic.setTopicId(idOf(name)) : topic.setName(name);
    }

    private OffsetCommitRequestData commit(String group, OffsetCommitRequestTopic... topics) {
        return new OffsetCommitRequestData()
                .setGroupId(group)
                .setGenerationIdOrMemberEpoch(-1)
                .setMemberId("")
                .setTopics(List.of(topics));
    }

    private void committed(String label, String group, String topic, int partition, long offset, String metadata) {
        talk.ask(
                "commit " + label,
                ApiKeys.OFFSET_COMMIT,
                (v, s) -> commit(group.isEmpty() ? "" : group + s, topic(v, topic, at(partition, offset, metadata))));
    }

    private OffsetFetchRequestData fetch(short version, String group, String topic, Integer... partitions) {
        if (version < FETCH_GROUPS) {
            OffsetFetchRequestTopic asked =
                    new OffsetFetchRequestTopic().setName(topic).setPartitionIndexes(List.of(partitions));
            return new OffsetFetchRequestData()
                    .setGroupId(group)
                    .setTopics(topic == null ? null : new ArrayList<>(List.of(asked)));
        }
        return new OffsetFetchRequestData().setGroups(List.of(group(version, group, topic, partitions)));
    }

    private OffsetFetchRequestGroup group(short version, String group, String topic, Integer... partitions) {
        OffsetFetchRequestGroup asked =
                new OffsetFetchRequestGroup().setGroupId(group).setTopics(null);
        if (topic != null) {
            OffsetFetchRequestTopics one = new OffsetFetchRequestTopics().setPartitionIndexes(List.of(partitions));
            asked.setTopics(List.of(version >= FETCH_IDS ? one.setTopicId(idOf(topic)) : one.setName(topic)));
        }
        return asked;
    }

    private void fetched(String label, String group, String topic, Integer... partitions) {
        talk.ask(
                "fetch offsets " + label,
                ApiKeys.OFFSET_FETCH,
                (v, s) -> topic == null && v < 2 ? null : fetch(v, group, topic, partitions));
    }

    private static OffsetDeleteRequestData delete(String group, String topic, int... partitions) {
        OffsetDeleteRequestTopic asked = new OffsetDeleteRequestTopic().setName(topic);
        for (int each : partitions) {
            asked.partitions().add(new OffsetDeleteRequestPartition().setPartitionIndex(each));
        }
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId(group);
        request.topics().add(asked);
        return request;
    }

    // ---- questions

    private void beforeThereAreGroups() {
        committed("to no coordinator", "early", TOPIC, 0, 1, "");
        committed("of nothing known to no coordinator", "early", NOBODY, 0, 1, "");
        fetched("from no coordinator", "early", TOPIC, 0);
        fetched("of all from no coordinator", "early", null);
        talk.ask("delete offsets at no coordinator", ApiKeys.OFFSET_DELETE, (v, s) -> delete("early", TOPIC, 0));
        talk.ask("list groups of no coordinator", ApiKeys.LIST_GROUPS, (v, s) -> new ListGroupsRequestData());
        talk.ask("describe groups of no coordinator", ApiKeys.DESCRIBE_GROUPS, (v, s) -> describe("early"));
        talk.ask("delete groups of no coordinator", ApiKeys.DELETE_GROUPS, (v, s) -> deleteGroups("early"));
    }

    private void commits() {
        committed("an offset", "simple", TOPIC, 0, 10, "some words");
        committed("a lower offset", "simple", TOPIC, 0, 9, "");
        committed("offset 0", "simple", TOPIC, 1, 0, "");
        committed("without words", "simple", TOPIC, 2, 12, null);
        committed("for the empty group", "", TOPIC, 0, 3, "");
        committed("offset -1", "odd", TOPIC, 0, -1, "");
        committed("offset -7", "odd", TOPIC, 1, -7, "");
        committed("many words", "odd", TOPIC, 2, 1, "w".repeat(4096));
        committed("too many words", "odd", TOPIC, 2, 2, "w".repeat(4097));
        committed("too many bytes", "odd", TOPIC, 2, 3, "ä".repeat(4096));
        talk.ask(
                "commit with a leader epoch",
                ApiKeys.OFFSET_COMMIT,
                (v, s) -> v < 6
                        ? null
                        : commit("simple" + s, topic(v, TOPIC, at(1, 20, "").setCommittedLeaderEpoch(5))));
        talk.ask("commit nothing", ApiKeys.OFFSET_COMMIT, (v, s) -> commit("nothing" + s));
        talk.ask("commit of no partition", ApiKeys.OFFSET_COMMIT, (v, s) -> commit("nothing" + s, topic(v, TOPIC)));
        talk.ask(
                "commit good and too long",
                ApiKeys.OFFSET_COMMIT,
                (v, s) -> commit("mixed" + s, topic(v, TOPIC, at(0, 1, "x".repeat(5000)), at(1, 2, ""))));
        fetched("of what was mixed", "mixedv9", TOPIC, 0, 1);
    }

    private void commitsWronglyPlaced() {
        committed("to nobody", "simple", NOBODY, 0, 1, "");
        committed("to no partition", "simple", TOPIC, 3, 1, "");
        committed("to a negative partition", "simple", TOPIC, -1, 1, "");
        talk.ask(
                "commit partly wrongly placed",
                ApiKeys.OFFSET_COMMIT,
                (v, s) -> commit(
                        "partly" + s, topic(v, TOPIC, at(0, 1, ""), at(9, 1, "")), topic(v, NOBODY, at(0, 1, ""))));
        talk.ask(
                "commit a topic twice",
                ApiKeys.OFFSET_COMMIT,
                (v, s) -> commit("twice" + s, topic(v, TOPIC, at(0, 1, "")), topic(v, TOPIC, at(1, 2, ""))));
        talk.ask(
                "commit a partition twice",
                ApiKeys.OFFSET_COMMIT,
                (v, s) -> commit("twice" + s, topic(v, TOPIC, at(2, 1, ""), at(2, 2, ""))));
        fetched("of what was twice", "twicev9", TOPIC, 0, 1, 2);
        talk.ask(
                "commit without id",
                ApiKeys.OFFSET_COMMIT,
                (v, s) -> v < COMMIT_IDS
                        ? null
                        : commit("simple" + s, new OffsetCommitRequestTopic().setPartitions(List.of(at(0, 1, "")))));
    }

    private void commitsByNoMember() {
        ApiKeys key = ApiKeys.OFFSET_COMMIT;
        for (String group : List.of("never", "simple")) {
            talk.ask(
                    "commit as a member of " + group,
                    key,
                    (v, s) -> commit(group + s, topic(v, TOPIC, at(0, 1, "")))
                            .setMemberId("m")
                            .setGenerationIdOrMemberEpoch(1));
            talk.ask(
                    "commit in generation 0 of " + group,
                    key,
                    (v, s) -> commit(group + s, topic(v, TOPIC, at(0, 1, ""))).setGenerationIdOrMemberEpoch(0));
            talk.ask(
                    "commit as a static member of " + group,
                    key,
                    (v, s) -> v < 7
                            ? null
                            : commit(group + s, topic(v, TOPIC, at(0, 1, "")))
                                    .setMemberId("m")
                                    .setGroupInstanceId("i")
                                    .setGenerationIdOrMemberEpoch(1));
        }
        talk.ask(
                "commit by a member without generation",
                key,
                (v, s) -> commit("half" + s, topic(v, TOPIC, at(0, 1, ""))).setMemberId("m"));
        talk.ask(
                "commit by an instance without generation",
                key,
                (v, s) -> v < 7
                        ? null
                        : commit("half" + s, topic(v, TOPIC, at(0, 1, ""))).setGroupInstanceId("i"));
        talk.ask(
                "commit in generation -2",
                key,
                (v, s) -> commit("half" + s, topic(v, TOPIC, at(0, 1, ""))).setGenerationIdOrMemberEpoch(-2));
    }

    private void commitsOfOld() {
        talk.ask(
                "commit for a day",
                ApiKeys.OFFSET_COMMIT,
                (v, s) -> v > 4
                        ? null
                        : commit("old" + s, topic(v, TOPIC, at(0, 5, "day"))).setRetentionTimeMs(86_400_000L));
        fetched("of old", "oldv2", TOPIC, 0);
    }

    private void fetches() {
        fetched("of a group", "simplev9", TOPIC, 0, 1, 2);
        fetched("of an old commit", "simplev2", TOPIC, 0, 1, 2);
        fetched("of a commit by id", "simplev10", TOPIC, 0, 1, 2);
        fetched("of no partition", "simplev9", TOPIC, 7, -1);
        fetched("of nobody", "simplev9", NOBODY, 0);
        fetched("of no group", "no group", TOPIC, 0);
        fetched("of the empty group", "", TOPIC, 0);
        fetched("odd", "oddv9", TOPIC, 0, 1, 2);
        fetched("of all topics", "simplev9", null);
        fetched("of all topics of no group", "no group", null);
        fetched("of a partition twice", "simplev9", TOPIC, 0, 0);
        fetched("of no partitions", "simplev9", TOPIC);
        talk.ask(
                "fetch offsets stable",
                ApiKeys.OFFSET_FETCH,
                (v, s) -> v < 7 ? null : fetch(v, "simplev9", TOPIC, 0).setRequireStable(true));
        talk.ask(
                "fetch all offsets stable",
                ApiKeys.OFFSET_FETCH,
                (v, s) -> v < 7 ? null : fetch(v, "simplev9", null).setRequireStable(true));
    }

    private void fetchesOfSeveral() {
        ApiKeys key = ApiKeys.OFFSET_FETCH;
        talk.ask(
                "fetch offsets of no groups",
                key,
                (v, s) -> v < FETCH_GROUPS ? null : new OffsetFetchRequestData().setGroups(List.of()));
        talk.ask(
                "fetch offsets of several groups",
                key,
                (v, s) -> v < FETCH_GROUPS
                        ? null
                        : new OffsetFetchRequestData()
                                .setGroups(List.of(
                                        group(v, "simplev9", TOPIC, 0),
                                        group(v, "no group", TOPIC, 0),
                                        group(v, "simplev2", null),
                                        group(v, "oddv9", NOBODY, 1),
                                        group(v, "", TOPIC, 1))));
        talk.ask(
                "fetch offsets of a group twice",
                key,
                (v, s) -> v < FETCH_GROUPS
                        ? null
                        : new OffsetFetchRequestData()
                                .setGroups(List.of(group(v, "simplev9", TOPIC, 0), group(v, "simplev9", TOPIC, 1))));
        for (String group : List.of("simplev9", "no group")) {
            talk.ask(
                    "fetch offsets as a member of " + group,
                    key,
                    (v, s) -> v < 9
                            ? null
                            : new OffsetFetchRequestData()
                                    .setGroups(List.of(group(v, group, TOPIC, 0)
                                            .setMemberId("m")
                                            .setMemberEpoch(1))));
        }
    }

    private static ListGroupsRequestData list(List<String> states, List<String> types) {
        return new ListGroupsRequestData().setStatesFilter(states).setTypesFilter(types);
    }

    private void listings() {
        ApiKeys key = ApiKeys.LIST_GROUPS;
        talk.ask("list groups", key, (v, s) -> new ListGroupsRequestData());
        for (String state : List.of("Empty", "empty", " eMPTY ", "Stable", "Dead", "nonsense", "")) {
            talk.ask("list groups that are '" + state + "'", key, (v, s) -> list(List.of(state), List.of()));
        }
        for (String type : List.of("classic", "Classic", "CLASSIC", " classic ", "consumer", "share", "nonsense", "")) {
            talk.ask("list groups of type '" + type + "'", key, (v, s) -> list(List.of(), List.of(type)));
        }
        talk.ask(
                "list groups by both", key, (v, s) -> list(List.of("Stable", "Empty"), List.of("consumer", "classic")));
        talk.ask("list groups by both in vain", key, (v, s) -> list(List.of("Empty"), List.of("consumer")));
    }

    private static DescribeGroupsRequestData describe(String... groups) {
        return new DescribeGroupsRequestData().setGroups(List.of(groups));
    }

    private void descriptions() {
        ApiKeys key = ApiKeys.DESCRIBE_GROUPS;
        talk.ask("describe a simple group", key, (v, s) -> describe("simplev9"));
        talk.ask("describe the empty group", key, (v, s) -> describe(""));
        talk.ask("describe no group", key, (v, s) -> describe("no group"));
        talk.ask("describe no groups", key, (v, s) -> describe());
        talk.ask("describe several groups", key, (v, s) -> describe("simplev9", "no group", "oddv9", "simplev9"));
        talk.ask(
                "describe what one may",
                key,
                (v, s) -> v < 3 ? null : describe("simplev9", "no group").setIncludeAuthorizedOperations(true));
    }

    private void deletions() {
        ApiKeys key = ApiKeys.OFFSET_DELETE;
        talk.ask("delete offsets", key, (v, s) -> delete("simplev9", TOPIC, 0, 1));
        talk.ask("delete offsets again", key, (v, s) -> delete("simplev9", TOPIC, 0, 1));
        talk.ask("delete offsets of no group", key, (v, s) -> delete("no group", TOPIC, 0));
        talk.ask("delete offsets of no group and nobody", key, (v, s) -> delete("no group", NOBODY, 0));
        talk.ask("delete offsets of the nameless group", key, (v, s) -> delete("", TOPIC, 0));
        talk.ask("delete offsets of nobody", key, (v, s) -> delete("simplev9", NOBODY, 0));
        talk.ask("delete offsets of no partition", key, (v, s) -> delete("simplev9", TOPIC, 0, 8, -1));
        talk.ask("delete offsets of no partitions", key, (v, s) -> delete("simplev9", TOPIC));
        talk.ask("delete no offsets", key, (v, s) -> new OffsetDeleteRequestData().setGroupId("simplev9"));
        fetched("that were deleted", "simplev9", null);
        talk.ask("delete the last offset", key, (v, s) -> delete("simplev9", TOPIC, 2));
        fetched("of which all were deleted", "simplev9", null);
        talk.ask("describe a group without offsets", ApiKeys.DESCRIBE_GROUPS, (v, s) -> describe("simplev9"));
    }

    private static DeleteGroupsRequestData deleteGroups(String... groups) {
        return new DeleteGroupsRequestData().setGroupsNames(List.of(groups));
    }

    private void groupDeletions() {
        ApiKeys key = ApiKeys.DELETE_GROUPS;
        talk.ask("delete groups", key, (v, s) -> deleteGroups("oddv" + (v + 3), "no group", "simplev" + (v + 3)));
        talk.ask("delete a group twice", key, (v, s) -> deleteGroups("oddv8", "oddv8"));
        talk.ask("delete no groups", key, (v, s) -> deleteGroups());
        talk.ask("delete the empty group", key, (v, s) -> deleteGroups(""));
        fetched("of a deleted group", "oddv3", TOPIC, 0, 1);
        talk.ask("describe a deleted group", ApiKeys.DESCRIBE_GROUPS, (v, s) -> describe("oddv3"));
        committed("to a group that was deleted", "odd", TOPIC, 2, 44, "");
        fetched("of a group that came back", "oddv3", null);
        talk.ask("list groups at last", ApiKeys.LIST_GROUPS, (v, s) -> new ListGroupsRequestData());
    }
}
