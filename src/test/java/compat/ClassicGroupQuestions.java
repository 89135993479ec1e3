package compat;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** What the members of a classic group ask, rightly and wrongly: one life of a group for each version of JoinGroup, the other APIs in the versions of that time. */
final class ClassicGroupQuestions implements AutoCloseable {
    private static final int SESSION_MILLIS = 600_000;
    private static final short LAST = 9;
    private static final short STATIC = 5;
    private static final Set<Short> RETRIED = Set.of(
            Errors.COORDINATOR_LOAD_IN_PROGRESS.code(),
            Errors.COORDINATOR_NOT_AVAILABLE.code(),
            Errors.NOT_COORDINATOR.code());

    private final Map<String, String> answers;
    private final int port;
    private final short version;
    private final String group;
    private RawConnection a;
    private final RawConnection b;
    private final Map<String, String> names = new LinkedHashMap<>();
    private final AnswerText text = new AnswerText();

    private ClassicGroupQuestions(Map<String, String> answers, int port, short version) throws IOException {
        this.answers = answers;
        this.port = port;
        this.version = version;
        this.group = "classic-v" + version;
        this.a = new RawConnection("127.0.0.1", port);
        this.b = new RawConnection("127.0.0.1", port);
    }

    /** The answers by question. */
    static Map<String, String> ask(int port) throws IOException {
        Map<String, String> answers = new LinkedHashMap<>();
        for (short version = 0; version <= LAST; version++) {
            try (ClassicGroupQuestions questions = new ClassicGroupQuestions(answers, port, version)) {
                questions.strangers();
                questions.wrongJoins();
                questions.members();
                questions.leaving();
                if (version >= STATIC) {
                    questions.staticMembers();
                }
            }
        }
        return answers;
    }

    @Override
    public void close() throws IOException {
        a.close();
        b.close();
    }

    // ---- what is asked

    private void strangers() throws IOException {
        awaitCoordinator();
        heartbeat("in a group that is not", "nobody", null, 1);
        sync("in a group that is not", syncing("nobody", 1));
        leave("from a group that is not", "nobody", null);
        String nameless = "";
        one("without group: heartbeat", ApiKeys.HEARTBEAT, new HeartbeatRequestData().setGroupId(nameless));
        one("without group: sync", ApiKeys.SYNC_GROUP, syncing("nobody", 1).setGroupId(nameless));
        one("without group: leave", ApiKeys.LEAVE_GROUP, leaving("nobody", null).setGroupId(nameless));
        describe("a group that is not");
    }

    private void awaitCoordinator() throws IOException {
        FindCoordinatorRequestData find = new FindCoordinatorRequestData().setKey(group);
        JoinGroupRequestData join = joining("", "consumer", "range").setGroupId(group + "-first");
        short error;
        do {
            error = ((FindCoordinatorResponseData) a.ask(ApiKeys.FIND_COORDINATOR, (short) 2, find)).errorCode();
            if (error == Errors.NONE.code()) {
                error = ((JoinGroupResponseData) a.ask(ApiKeys.JOIN_GROUP, (short) 4, join)).errorCode();
            }
            if (RETRIED.contains(error)) {
                Await.briefly();
            }
        } while (RETRIED.contains(error));
    }

    private void wrongJoins() throws IOException {
        join("without group", joining("", "consumer", "range").setGroupId(""));
        join("with a short session", joining("", "consumer", "range").setSessionTimeoutMs(1));
        join("with a long session", joining("", "consumer", "range").setSessionTimeoutMs(Integer.MAX_VALUE));
        join("a group that is not, with an id", joining("made-up", "consumer", "range"));
        join("without protocol type", joining("", "", "range"));
        join("without protocols", joining("", "consumer"));
        join("with an id and a name", joining("made-up", "consumer", "range").setGroupInstanceId("name"));
    }

    private void members() throws IOException {
        String first = enter("first", a, "range", "sticky");
        heartbeat("before the sync", first, null, 1);
        describe("before the sync");
        join("once more before the sync", joining(first, "consumer", "range", "sticky"));
        sync("of another generation", syncing(first, 2));
        sync("of a stranger", syncing("nobody", 1));
        sync("with another type", syncing(first, 1).setProtocolType("connect"));
        sync("with another protocol", syncing(first, 1).setProtocolName("other"));
        sync("without names", syncing(first, 1).setProtocolType(null).setProtocolName(null));
        sync("of the leader", assigning(first, 1, first, "nobody"));
        sync("once more", syncing(first, 1));
        heartbeat("in a stable group", first, null, 1);
        heartbeat("of another generation", first, null, 2);
        heartbeat("of another generation", first, null, -1);
        heartbeat("of a stranger", "nobody", null, 1);
        heartbeat("under a name", first, "name", 1);
        describe("one member");
        join("with another protocol", joining("", "consumer", "other"));
        join("with another type", joining("", "connect", "range"));
        join("as a stranger", joining("nobody", "consumer", "range"));
        join(
                "with an id under a name",
                joining(first, "consumer", "range", "sticky").setGroupInstanceId("name"));
        secondMember(first);
    }

    private void secondMember(String first) throws IOException {
        String second = idOfNew("second", b, "range");
        send(b, ApiKeys.JOIN_GROUP, joining(second, "consumer", "range", "sticky"));
        awaitRebalance(first, 1);
        heartbeat("in a rebalance", first, null, 1);
        sync("in a rebalance", syncing(first, 1));
        describe("in a rebalance");
        join("again", joining(first, "consumer", "range", "sticky"));
        String joined = ((JoinGroupResponseData) receive("second joins", b, ApiKeys.JOIN_GROUP)).memberId();
        heartbeat("of the old generation", first, null, 1);
        send(b, ApiKeys.SYNC_GROUP, syncing(joined, 2));
        sync("of the leader for two", assigning(first, 2, first, joined));
        receive("second syncs", b, ApiKeys.SYNC_GROUP);
        describe("two members");
        join("a follower, nothing new", joining(joined, "consumer", "range", "sticky"));
        leave("a stranger", "nobody", null);
        leave("under a name", joined, "name");
        leave("the second", joined, null);
        leave("the second once more", joined, null);
        heartbeat("after one left", first, null, 2);
        join("alone again", joining(first, "consumer", "range", "sticky"));
        sync("alone again", assigning(first, 3, first));
    }

    private void leaving() throws IOException {
        String first = names.keySet().iterator().next();
        leave("the last", first, null);
        heartbeat("after leaving", first, null, 3);
        sync("after leaving", syncing(first, 3));
        join("after leaving", joining(first, "consumer", "range"));
        leave("an empty group", first, null);
        describe("nobody");
    }

    private void staticMembers() throws IOException {
        String one = ((JoinGroupResponseData) join(
                        "one by name",
                        joining("", "consumer", "range", "sticky").setGroupInstanceId("one")))
                .memberId();
        sync("one by name", assigning(one, 5, one).setGroupInstanceId("one"));
        JoinGroupRequestData two = joining("", "consumer", "range", "sticky").setGroupInstanceId("two");
        send(b, ApiKeys.JOIN_GROUP, two);
        awaitRebalance(one, 5);
        join("one again", joining(one, "consumer", "range", "sticky").setGroupInstanceId("one"));
        String second = ((JoinGroupResponseData) receive("two by name", b, ApiKeys.JOIN_GROUP)).memberId();
        send(b, ApiKeys.SYNC_GROUP, syncing(second, 6).setGroupInstanceId("two"));
        sync("for names", assigning(one, 6, one, second).setGroupInstanceId("one"));
        receive("two by name", b, ApiKeys.SYNC_GROUP);
        String back = ((JoinGroupResponseData) join("two is back", two)).memberId();
        heartbeat("of its former self", second, "two", 6);
        heartbeat("of its former self without name", second, null, 6);
        sync("of its former self", syncing(second, 6).setGroupInstanceId("two"));
        join("its former self", joining(second, "consumer", "range", "sticky").setGroupInstanceId("two"));
        leave("its former self", second, "two");
        sync("of its new self", syncing(back, 6).setGroupInstanceId("two"));
        heartbeat("of its new self", back, "two", 6);
        describe("names");
        String leader = ((JoinGroupResponseData) join(
                        "the leader is back",
                        joining("", "consumer", "range", "sticky").setGroupInstanceId("one")))
                .memberId();
        sync("of the leader that is back", syncing(leader, 6).setGroupInstanceId("one"));
        leave("by name", "", "two");
        leave("by no name", "", null);
        leave("by a name unheard of", "", "three");
        leave("the leader", leader, "one");
        describe("no names");
    }

    // ---- how it is asked

    private JoinGroupRequestData joining(String memberId, String type, String... protocols) {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setProtocolType(type)
                .setSessionTimeoutMs(SESSION_MILLIS)
                .setRebalanceTimeoutMs(version == 0 ? -1 : SESSION_MILLIS);
        for (String each : protocols) {
            request.protocols()
                    .add(new JoinGroupRequestProtocol().setName(each).setMetadata(("says " + each).getBytes(UTF_8)));
        }
        return request;
    }

    private SyncGroupRequestData syncing(String memberId, int generation) {
        boolean named = versionOf(ApiKeys.SYNC_GROUP) >= 5;
        return new SyncGroupRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setGenerationId(generation)
                .setProtocolType(named ? "consumer" : null)
                .setProtocolName(named ? "range" : null);
    }

    private SyncGroupRequestData assigning(String memberId, int generation, String... members) {
        SyncGroupRequestData request = syncing(memberId, generation);
        for (String each : members) {
            request.assignments()
                    .add(new SyncGroupRequestAssignment()
                            .setMemberId(each)
                            .setAssignment(("for " + name(each)).getBytes(UTF_8)));
        }
        return request;
    }

    private LeaveGroupRequestData leaving(String memberId, String instance) {
        LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId(group);
        if (versionOf(ApiKeys.LEAVE_GROUP) < 3) {
            return request.setMemberId(memberId);
        }
        return request.setMembers(
                List.of(new MemberIdentity().setMemberId(memberId).setGroupInstanceId(instance)));
    }

    /** Becomes the only member of the group. */
    private String enter(String label, RawConnection connection, String... protocols) throws IOException {
        String id = idOfNew(label, connection, protocols);
        send(connection, ApiKeys.JOIN_GROUP, joining(id, "consumer", protocols));
        return ((JoinGroupResponseData) receive(label + " joins", connection, ApiKeys.JOIN_GROUP)).memberId();
    }

    /** The id that a new member has to join with: none before version 4. */
    private String idOfNew(String label, RawConnection connection, String... protocols) throws IOException {
        if (version < 4) {
            return "";
        }
        send(connection, ApiKeys.JOIN_GROUP, joining("", "consumer", protocols));
        return ((JoinGroupResponseData) receive(label + " asks for an id", connection, ApiKeys.JOIN_GROUP)).memberId();
    }

    private void awaitRebalance(String member, int generation) throws IOException {
        HeartbeatRequestData beat =
                new HeartbeatRequestData().setGroupId(group).setMemberId(member).setGenerationId(generation);
        short error = 0;
        while (error == 0) {
            Await.briefly();
            error = ((HeartbeatResponseData) a.ask(ApiKeys.HEARTBEAT, versionOf(ApiKeys.HEARTBEAT), beat)).errorCode();
        }
    }

    private ApiMessage join(String label, JoinGroupRequestData request) throws IOException {
        return one("join " + label, ApiKeys.JOIN_GROUP, request);
    }

    private void sync(String label, SyncGroupRequestData request) throws IOException {
        one("sync " + label, ApiKeys.SYNC_GROUP, request);
    }

    private void heartbeat(String label, String member, String instance, int generation) throws IOException {
        HeartbeatRequestData beat = new HeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(member)
                .setGroupInstanceId(instance)
                .setGenerationId(generation);
        one("heartbeat " + label + " " + generation, ApiKeys.HEARTBEAT, beat);
    }

    private void leave(String label, String member, String instance) throws IOException {
        one("leave " + label, ApiKeys.LEAVE_GROUP, leaving(member, instance));
    }

    private void describe(String label) throws IOException {
        DescribeGroupsRequestData request = new DescribeGroupsRequestData();
        request.groups().add(group);
        one("describe " + label, ApiKeys.DESCRIBE_GROUPS, request);
    }

    /** Versions of about the same time as this one of JoinGroup. */
    private short versionOf(ApiKeys key) {
        return key == ApiKeys.JOIN_GROUP ? version : (short) Math.min(key.latestVersion(), Math.max(0, version - 2));
    }

    private ApiMessage one(String label, ApiKeys key, ApiMessage request) throws IOException {
        try {
            send(a, key, request);
        } catch (UnsupportedVersionException notInThisVersion) {
            return null;
        }
        try {
            return receive(label, a, key);
        } catch (EOFException hangsUp) {
            answers.put(label(label, key), "hangs up");
            a = new RawConnection("127.0.0.1", port);
            return null;
        }
    }

    private void send(RawConnection connection, ApiKeys key, ApiMessage request) throws IOException {
        connection.send(key, versionOf(key), request);
    }

    private ApiMessage receive(String label, RawConnection connection, ApiKeys key) throws IOException {
        ApiMessage answer = connection.receive(key, versionOf(key));
        normalize(answer);
        String known = text.of(answer, versionOf(key), true);
        for (Map.Entry<String, String> each : names.entrySet()) {
            known = known.replace(each.getKey(), each.getValue());
        }
        answers.put(label(label, key), known);
        return answer;
    }

    private String label(String label, ApiKeys key) {
        return label + " | " + key + " v" + versionOf(key) + ", group of v" + version;
    }

    /** Learns member ids and orders members. */
    private void normalize(ApiMessage answer) {
        if (answer instanceof JoinGroupResponseData join) {
            name(join.memberId());
            List<JoinGroupResponseMember> sorted = new ArrayList<>(join.members());
            sorted.sort(Comparator.comparing(each -> name(each.memberId())));
            join.setMembers(sorted);
        } else if (answer instanceof DescribeGroupsResponseData described) {
            described.groups().forEach(each -> {
                List<DescribedGroupMember> sorted = new ArrayList<>(each.members());
                sorted.sort(Comparator.comparing(member -> name(member.memberId())));
                each.setMembers(sorted);
            });
        } else if (answer instanceof LeaveGroupResponseData left) {
            List<MemberResponse> sorted = new ArrayList<>(left.members());
            sorted.sort(Comparator.comparing(MemberResponse::memberId));
            left.setMembers(sorted);
        }
    }

    /** Ids are the broker's choice; they are told apart by when they were first heard. */
    private String name(String id) {
        boolean chosen = id.length() > 36;
        return chosen ? names.computeIfAbsent(id, first -> "member-" + names.size()) : id;
    }
}
