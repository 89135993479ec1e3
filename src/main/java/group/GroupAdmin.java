package group;

import coordinator.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.GroupRecord;

/** Lists, describes and deletes the groups of a shard, of any protocol. Confined to the shard. */
public final class GroupAdmin {
    /** From this version on DescribeGroups says by an error that there is no such group. */
    private static final short SAYS_NO_GROUP = 6;

    private static final String DEAD = "Dead";

    private final Groups groups;
    private final CommittedOffsets offsets;

    GroupAdmin(Groups groups, CommittedOffsets offsets) {
        this.groups = groups;
        this.offsets = offsets;
    }

    /** ListGroups: in the order in which the groups were made. Filters compare without case, states also without blanks around them;
     * empty ones let all pass. */
    public List<ListedGroup> list(List<String> states, List<String> types) {
        List<String> wantedStates =
                states.stream().map(state -> plain(state.trim())).toList();
        List<String> wantedTypes = types.stream().map(GroupAdmin::plain).toList();
        List<ListedGroup> listed = new ArrayList<>();
        for (Group group : groups.all()) {
            if (passes(wantedStates, group.state())
                    && passes(wantedTypes, group.type().toString())) {
                listed.add(new ListedGroup()
                        .setGroupId(group.id())
                        .setProtocolType(group.protocolType())
                        .setGroupState(group.state())
                        .setGroupType(group.type().toString()));
            }
        }
        return listed;
    }

    private static boolean passes(List<String> wanted, String value) {
        return wanted.isEmpty() || wanted.contains(plain(value));
    }

    private static String plain(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** DescribeGroups, which knows classic groups only: others are answered as if they did not exist. */
    public List<DescribedGroup> describe(List<String> ids, short version) {
        List<DescribedGroup> described = new ArrayList<>(ids.size());
        for (String id : ids) {
            Group group = groups.get(id);
            DescribedGroup known = group == null ? null : group.describe();
            described.add(known == null ? missing(id, group, version) : known);
        }
        return described;
    }

    /** @param group null, or one of another protocol */
    private static DescribedGroup missing(String id, Group group, short version) {
        DescribedGroup answer = new DescribedGroup().setGroupId(id).setGroupState(DEAD);
        if (version < SAYS_NO_GROUP) {
            return answer;
        }
        String why = group == null ? "Group " + id + " not found." : "Group " + id + " is not a classic group.";
        return answer.setErrorCode(Errors.GROUP_ID_NOT_FOUND.code()).setErrorMessage(why);
    }

    /**
     * DeleteGroups: as many as a batch takes, with their offsets.
     *
     * @return answers by id; those that are missing want another call, which goes on where this one had to stop
     */
    public Result<GroupRecord, Map<String, Errors>> delete(List<String> ids) {
        Map<String, Errors> answers = new LinkedHashMap<>();
        Tombstones batch = new Tombstones();
        for (String id : ids) {
            if (batch.full()) {
                break;
            }
            Group group = groups.get(id);
            if (group == null) {
                answers.put(id, Errors.GROUP_ID_NOT_FOUND);
            } else if (!group.isEmpty()) {
                answers.put(id, Errors.NON_EMPTY_GROUP);
            } else if (offsets.removeAll(id, batch)) {
                batch.group(group);
                answers.put(id, Errors.NONE);
            }
        }
        return Result.of(batch.records(), answers);
    }
}
