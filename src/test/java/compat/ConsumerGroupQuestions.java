package compat;

import java.io.IOException;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.protocol.ApiKeys;

/** Conversations of members of KIP-848 groups with their coordinator, step by step. */
final class ConsumerGroupQuestions {
    private static final String TOPIC = "consumed";
    private static final String GROUP = "modern";
    private static final short COMMIT_IDS = 10;

    private final Conversation talk;
    private int step;

    private ConsumerGroupQuestions(Conversation talk) {
        this.talk = talk;
    }

    static void ask(Conversation talk) throws IOException {
        talk.askLatest(
                "create a topic to consume",
                ApiKeys.CREATE_TOPICS,
                AdminQuestions.topics(AdminQuestions.topic(TOPIC, 4, 1), AdminQuestions.topic("small", 1, 1)));
        ConsumerGroupQuestions questions = new ConsumerGroupQuestions(talk);
        questions.learnIds();
        questions.describe("before there is a coordinator");
        talk.awaitCoordinator(GROUP);
        questions.nonsense();
        questions.twoMembers();
        questions.commits();
        questions.staticMembers();
        questions.subscriptions();
        questions.leaving();
        questions.groupsOfOtherKinds();
    }

    private void learnIds() {
        MetadataRequestData whatIsItsId = new MetadataRequestData();
        whatIsItsId.topics().add(new MetadataRequestTopic().setName(TOPIC));
        whatIsItsId.topics().add(new MetadataRequestTopic().setName("small"));
        talk.askLatest("their ids", ApiKeys.METADATA, whatIsItsId);
    }

    // ---- building requests

    private static ConsumerGroupHeartbeatRequestData join(String member) {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(GROUP)
                .setMemberId(member)
                .setMemberEpoch(0)
                .setRebalanceTimeoutMs(300_000)
                .setSubscribedTopicNames(List.of(TOPIC))
                .setTopicPartitions(List.of());
    }

    private static ConsumerGroupHeartbeatRequestData alive(String member, int epoch) {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(GROUP)
                .setMemberId(member)
                .setMemberEpoch(epoch)
                .setTopicPartitions(null);
    }

    private ConsumerGroupHeartbeatRequestData having(String member, int epoch, Integer... partitions) {
        return alive(member, epoch).setTopicPartitions(partitions.length == 0 ? List.of() : List.of(some(partitions)));
    }

    private TopicPartitions some(Integer... partitions) {
        return new TopicPartitions().setTopicId(talk.idOf(TOPIC)).setPartitions(List.of(partitions));
    }

    private void beat(String label, ConsumerGroupHeartbeatRequestData request) {
        talk.askLatest(++step + " " + label, ApiKeys.CONSUMER_GROUP_HEARTBEAT, request);
    }

    private void describe(String label) {
        talk.ask(
                ++step + " describe " + label,
                ApiKeys.CONSUMER_GROUP_DESCRIBE,
                (v, s) -> new ConsumerGroupDescribeRequestData()
                        .setGroupIds(List.of(GROUP, "nobody", ""))
                        .setIncludeAuthorizedOperations(true));
    }

    // ---- conversations

    private void nonsense() {
        List<UnaryOperator<ConsumerGroupHeartbeatRequestData>> wrong = List.of(
                request -> request.setGroupId(""),
                request -> request.setGroupId(" "),
                request -> request.setMemberId(""),
                request -> request.setInstanceId(""),
                request -> request.setRackId(""),
                request -> request.setRebalanceTimeoutMs(-1),
                request -> request.setTopicPartitions(null),
                request -> request.setTopicPartitions(List.of(some(1))),
                request -> request.setSubscribedTopicNames(null),
                request -> request.setServerAssignor("best"),
                request -> request.setServerAssignor(""),
                request -> request.setMemberEpoch(-2),
                request -> request.setMemberEpoch(-2).setInstanceId("i"),
                request -> request.setMemberEpoch(-1),
                request -> request.setMemberEpoch(-3),
                request -> request.setMemberEpoch(5),
                request -> request.setSubscribedTopicNames(null).setSubscribedTopicRegex("("),
                request -> request.setSubscribedTopicNames(null).setSubscribedTopicRegex("a(?=b)"));
        for (UnaryOperator<ConsumerGroupHeartbeatRequestData> each : wrong) {
            String label = ++step + " nonsense";
            // In the old version, an empty id asks for one.
            talk.ask(label, ApiKeys.CONSUMER_GROUP_HEARTBEAT, (v, s) -> {
                ConsumerGroupHeartbeatRequestData request = each.apply(join("x" + s));
                return v == 0 && request.memberId().isEmpty() ? null : request;
            });
        }
    }

    private void twoMembers() {
        beat("first member", join("a"));
        beat("says nothing", alive("a", 2));
        beat("says what it has", having("a", 2, 0, 1, 2, 3));
        describe("one member");
        beat("second member", join("b"));
        describe("waiting");
        beat("is asked to give up", alive("a", 2));
        describe("giving up");
        beat("still has them", having("a", 2, 0, 1, 2, 3));
        beat("nothing for the second yet", alive("b", 3));
        beat("gave them up", having("a", 2, 0, 1));
        beat("the answer was lost", having("a", 2, 0, 1));
        beat("the answer was lost, and it has more", having("a", 2, 0, 1, 2));
        beat("the answer was lost, and it is silent", alive("a", 2));
        beat("gets the others", alive("b", 3));
        beat("has them", having("b", 3, 2, 3));
        beat("from the future", alive("b", 4));
        beat("from the past", having("b", 1));
        describe("two members");
        beat("joins again", join("a"));
        beat("is as before", having("a", 3, 0, 1));
    }

    private void commits() {
        committed("at the epoch", "a", 3, 0);
        committed("of another's", "a", 3, 3);
        committed("at an older epoch", "a", 2, 0);
        committed("older than the assignment", "b", 2, 3);
        committed("from the future", "a", 4, 0);
        committed("of a stranger", "z", 3, 0);
        committed("of nobody", "", -1, 0);
        for (int epoch : new int[] {3, 2, 9}) {
            talk.ask(
                    "fetch offsets at epoch " + epoch,
                    ApiKeys.OFFSET_FETCH,
                    (v, s) -> v < 9
                            ? null
                            : new OffsetFetchRequestData()
                                    .setGroups(List.of(new OffsetFetchRequestGroup()
                                            .setGroupId(GROUP)
                                            .setMemberId("a")
                                            .setMemberEpoch(epoch)
                                            .setTopics(null))));
        }
    }

    private void committed(String label, String member, int epoch, int partition) {
        talk.ask("commit " + label, ApiKeys.OFFSET_COMMIT, (v, s) -> {
            if (v < 7) {
                return null;
            }
            OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic()
                    .setPartitions(List.of(new OffsetCommitRequestPartition()
                            .setPartitionIndex(partition)
                            .setCommittedOffset(v)));
            return new OffsetCommitRequestData()
                    .setGroupId(GROUP)
                    .setMemberId(member)
                    .setGenerationIdOrMemberEpoch(epoch)
                    .setTopics(List.of(v >= COMMIT_IDS ? topic.setTopicId(talk.idOf(TOPIC)) : topic.setName(TOPIC)));
        });
    }

    private void staticMembers() {
        beat("a static member joins", join("s1").setInstanceId("i"));
        beat("another with its instance id", join("s2").setInstanceId("i"));
        beat("unknown instance id", alive("s1", 4).setInstanceId("j"));
        beat("leaves for a time", alive("s1", -2).setInstanceId("i"));
        describe("on leave");
        beat("heartbeat while away", alive("s1", 4).setInstanceId("i"));
        beat("comes back as another", join("s2").setInstanceId("i"));
        beat("the old one", alive("s1", 4).setInstanceId("i"));
        beat("the old one leaves", alive("s1", -1).setInstanceId("i"));
        beat("the old one without instance id", alive("s1", 4));
        describe("back");
        beat("leaves for good", alive("s2", -1).setInstanceId("i"));
    }

    private void subscriptions() {
        beat("another rack", alive("a", 3).setRackId("r1"));
        beat("subscribes to nothing", alive("a", 3).setSubscribedTopicNames(List.of()));
        describe("one without topics");
        beat("gave all up", having("a", 3));
        beat("the other gets them", alive("b", 3));
        beat("subscribes again", alive("a", 6).setSubscribedTopicNames(List.of("small", TOPIC)));
        beat("prefers range", alive("b", 6).setServerAssignor("range"));
        describe("with range");
    }

    private void leaving() {
        talk.ask(
                "delete a group with members",
                ApiKeys.DELETE_GROUPS,
                (v, s) -> new DeleteGroupsRequestData().setGroupsNames(List.of(GROUP)));
        talk.ask(
                "list consumer groups",
                ApiKeys.LIST_GROUPS,
                (v, s) -> v < 5 ? null : new ListGroupsRequestData().setTypesFilter(List.of("consumer")));
        beat("the second leaves", alive("b", -1));
        beat("and is gone", alive("b", 3));
        beat("the first leaves", alive("a", -1));
        describe("empty");
        talk.ask(
                "list empty groups",
                ApiKeys.LIST_GROUPS,
                (v, s) -> v < 5
                        ? null
                        : new ListGroupsRequestData()
                                .setTypesFilter(List.of("consumer"))
                                .setStatesFilter(List.of("empty")));
        beat("joins an empty group", join("c"));
        beat("leaves it", alive("c", -1));
    }

    private void groupsOfOtherKinds() {
        talk.ask(
                "describe a consumer group as a classic one",
                ApiKeys.DESCRIBE_GROUPS,
                (v, s) -> new DescribeGroupsRequestData().setGroups(List.of(GROUP)));
        beat("joins a group that only kept offsets", join("d").setGroupId("simple"));
        beat("leaves that", alive("d", -1).setGroupId("simple"));
        talk.ask(
                "delete an empty group",
                ApiKeys.DELETE_GROUPS,
                (v, s) -> new DeleteGroupsRequestData().setGroupsNames(List.of(GROUP)));
        describe("deleted");
        beat("the group is gone", alive("c", 3));
        beat("an id of its own", join(Uuid.ONE_UUID.toString()));
        beat("without topics that exist", join("e").setGroupId("other").setSubscribedTopicNames(List.of("nowhere")));
        beat("with none at all", join("f").setGroupId("third").setSubscribedTopicNames(List.of()));
    }
}
