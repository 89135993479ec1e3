package sim;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** Reads all that is left of groups when their members are gone, and judges what was told of their offsets (rule G8). */
final class SimGroupJudge {
    private static final long PATIENCE = 10_000 * SimScheduler.MILLI;

    private SimGroupJudge() {}

    /** @return for comparison: the state of each group and all its offsets, a line each */
    static List<String> judge(SimWorld world, SimFinalReader reader) {
        List<String> found = new ArrayList<>();
        for (SimGroup group : world.groups()) {
            found.addAll(offsets(world, group, reader));
            group.offsets.judge();
            found.add(state(world, group, reader));
        }
        world.committers().forEach(each -> each.judge(reader));
        return found;
    }

    private static List<String> offsets(SimWorld world, SimGroup group, SimFinalReader reader) {
        OffsetFetchRequestData request = new OffsetFetchRequestData()
                .setGroups(List.of(
                        new OffsetFetchRequestGroup().setGroupId(group.id).setTopics(null)));
        long begun = world.scheduler().now();
        OffsetFetchResponseGroup answer = ((OffsetFetchResponseData)
                        reader.call(ApiKeys.OFFSET_FETCH, (short) 9, request))
                .groups()
                .get(0);
        if (answer.errorCode() != Errors.NONE.code()) {
            throw new RuleBroken("L4 answers after heal", group.id + ": " + Errors.forCode(answer.errorCode()));
        }
        List<String> lines = new ArrayList<>();
        for (var topic : answer.topics()) {
            for (var each : topic.partitions()) {
                String partition = topic.name() + "-" + each.partitionIndex();
                group.offsets
                        .of(partition)
                        .read(
                                each.committedOffset(),
                                each.metadata(),
                                begun,
                                world.scheduler().now());
                lines.add(group.id + "/" + partition + " " + each.committedOffset() + " " + each.metadata());
            }
        }
        for (PartitionLedger each : group.partitions) {
            boolean said = lines.stream().anyMatch(line -> line.startsWith(group.id + "/" + each.name() + " "));
            if (!said) {
                group.offsets
                        .of(each.name())
                        .read(OffsetHistory.NONE, "", begun, world.scheduler().now());
            }
        }
        lines.sort(null);
        return lines;
    }

    /** Its members are gone: it gets empty, and stays so over a restart. */
    private static String state(SimWorld world, SimGroup group, SimFinalReader reader) {
        long limit = world.scheduler().now() + PATIENCE;
        while (true) {
            String state = listed(group, reader);
            if (state.endsWith(" Empty") || state.endsWith(" none")) {
                return group.spec.kind() == SimGroup.Kind.CLASSIC ? state + described(group, reader) : state;
            }
            if (world.scheduler().now() > limit) {
                throw new RuleBroken("G3 sessions end", group.id + " has lost all its members and is " + state);
            }
            world.scheduler().runFor(500 * SimScheduler.MILLI);
        }
    }

    private static String listed(SimGroup group, SimFinalReader reader) {
        ListGroupsResponseData answer =
                (ListGroupsResponseData) reader.call(ApiKeys.LIST_GROUPS, (short) 5, new ListGroupsRequestData());
        if (answer.errorCode() != Errors.NONE.code()) {
            throw new RuleBroken("L4 answers after heal", "ListGroups: " + Errors.forCode(answer.errorCode()));
        }
        return answer.groups().stream()
                .filter(each -> each.groupId().equals(group.id))
                .map(each -> group.id + " " + each.groupType() + " " + each.protocolType() + " " + each.groupState())
                .findFirst()
                .orElse(group.id + " none");
    }

    private static String described(SimGroup group, SimFinalReader reader) {
        DescribeGroupsRequestData request = new DescribeGroupsRequestData().setGroups(List.of(group.id));
        return ((DescribeGroupsResponseData) reader.call(ApiKeys.DESCRIBE_GROUPS, (short) 6, request)).toString();
    }
}
