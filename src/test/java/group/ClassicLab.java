package group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import coordinator.InstantRuntime.Answer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import metadata.MetadataImage;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.GroupMetadataRecord;

/** Members of one classic group "g" on a {@link ShardBench}. */
final class ClassicLab {
    static final String GROUP = "g";
    static final int SESSION = 10_000;
    static final int REBALANCE = 30_000;
    static final int INITIAL_DELAY = 3_000;

    final ShardBench bench;

    ClassicLab(String... settings) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add("group.initial.rebalance.delay.ms=" + INITIAL_DELAY);
        bench = new ShardBench(ShardBench.config(all.toArray(String[]::new)), MetadataImage.empty("test"), 7);
    }

    /** A JoinGroup with defaults that a test changes. */
    static JoinGroupRequestData joining(String memberId, String... protocols) {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(GROUP)
                .setMemberId(memberId)
                .setProtocolType("consumer")
                .setSessionTimeoutMs(SESSION)
                .setRebalanceTimeoutMs(REBALANCE);
        for (String each : protocols.length == 0 ? new String[] {"range"} : protocols) {
            request.protocols()
                    .add(new JoinGroupRequestProtocol().setName(each).setMetadata(bytes("says " + memberId)));
        }
        return request;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    Answer<JoinGroupResponseData> join(JoinGroupRequestData request, int version) {
        ClientInfo client = new ClientInfo("client", "/10.0.0.1", (short) version);
        return bench.park(new ClassicJoin(client, request));
    }

    Answer<JoinGroupResponseData> join(JoinGroupRequestData request) {
        return join(request, 9);
    }

    Errors joinError(JoinGroupRequestData request) {
        return Errors.forCode(join(request).value().errorCode());
    }

    /** A member id of the group's, as a client of version 4 or later gets it. */
    String newId() {
        JoinGroupResponseData answer = join(joining("")).value();
        assertEquals(Errors.MEMBER_ID_REQUIRED.code(), answer.errorCode());
        return answer.memberId();
    }

    Answer<JoinGroupResponseData> joinNew() {
        return join(joining(newId()));
    }

    Answer<SyncGroupResponseData> sync(String memberId, int generation, String... assignments) {
        return sync(new SyncGroupRequestData().setMemberId(memberId).setGenerationId(generation), assignments);
    }

    /** @param assignments member id and what it is given, in turn */
    Answer<SyncGroupResponseData> sync(SyncGroupRequestData request, String... assignments) {
        request.setGroupId(GROUP);
        for (int i = 0; i < assignments.length; i += 2) {
            request.assignments()
                    .add(new SyncGroupRequestAssignment()
                            .setMemberId(assignments[i])
                            .setAssignment(bytes(assignments[i + 1])));
        }
        return bench.park((shard, done) -> shard.classic().sync(request, done));
    }

    Errors heartbeat(String memberId, int generation) {
        return heartbeat(memberId, null, generation);
    }

    Errors heartbeat(String memberId, String instanceId, int generation) {
        HeartbeatRequestData request = new HeartbeatRequestData()
                .setGroupId(GROUP)
                .setMemberId(memberId)
                .setGroupInstanceId(instanceId)
                .setGenerationId(generation);
        return Errors.forCode(
                bench.write(shard -> shard.classic().heartbeat(request)).value().errorCode());
    }

    /** @param members member id and instance id, in turn; the latter may be null */
    LeaveGroupResponseData leave(String... members) {
        return leaving(members).value();
    }

    Answer<LeaveGroupResponseData> leaving(String... members) {
        LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId(GROUP);
        for (int i = 0; i < members.length; i += 2) {
            request.members().add(new MemberIdentity().setMemberId(members[i]).setGroupInstanceId(members[i + 1]));
        }
        return bench.write(shard -> shard.classic().leave(request));
    }

    Errors leave(String memberId) {
        return Errors.forCode(leave(memberId, null).members().get(0).errorCode());
    }

    /** A stable group of new members, the first of which leads; each is given "p" and its place. */
    List<String> stable(int members) {
        List<Answer<JoinGroupResponseData>> joins = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            joins.add(joinNew());
        }
        bench.advance(2 * INITIAL_DELAY);
        List<String> ids = new ArrayList<>();
        joins.forEach(each -> ids.add(each.value().memberId()));
        syncAll(ids, joins.get(0).value().generationId());
        return ids;
    }

    /** All sync, the leader is the first; each is given "p" and its place. */
    void syncAll(List<String> ids, int generation) {
        String[] assignments = new String[2 * ids.size()];
        for (int i = 0; i < ids.size(); i++) {
            assignments[2 * i] = ids.get(i);
            assignments[2 * i + 1] = "p" + i;
        }
        for (int i = ids.size() - 1; i >= 0; i--) {
            String[] mine = i == 0 ? assignments : new String[0];
            sync(ids.get(i), generation, mine);
        }
        assertEquals("Stable", state());
    }

    Group group() {
        return bench.read(shard -> shard.classic().orSimple(GROUP)).value();
    }

    String state() {
        return group().state();
    }

    /** The newest record of the group. */
    GroupMetadataRecord.Value stored() {
        for (int i = bench.log().size() - 1; i >= 0; i--) {
            if (bench.log().get(i) instanceof GroupMetadataRecord record) {
                return record.value();
            }
        }
        return null;
    }

    /** Member id to what it is given, of the newest record. */
    TreeMap<String, String> storedAssignments() {
        TreeMap<String, String> all = new TreeMap<>();
        stored().members()
                .forEach(each -> all.put(each.memberId(), new String(each.assignment(), StandardCharsets.UTF_8)));
        return all;
    }

    static String given(Answer<SyncGroupResponseData> answer) {
        assertEquals(Errors.NONE.code(), answer.value().errorCode());
        return new String(answer.value().assignment(), StandardCharsets.UTF_8);
    }

    static Errors syncError(Answer<SyncGroupResponseData> answer) {
        return Errors.forCode(answer.value().errorCode());
    }

    static List<String> memberIds(JoinGroupResponseData answer) {
        return answer.members().stream().map(JoinGroupResponseMember::memberId).toList();
    }
}
