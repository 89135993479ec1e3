package services;

import common.Callback;
import common.Failure;
import coordinator.Coordinator;
import group.GroupShard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import metadata.MetadataImage;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Lists, describes and deletes groups at their coordinators. Answers never fail as a whole; a coordinator that cannot be asked is an error in its part of the
 * answer. Confined to its caller's owner.
 */
public final class GroupAdminService {
    private final GroupCoordinators coordinators;
    private final long timeoutMillis;

    /** @param timeoutMillis how long a coordinator may take for one step, > 0 */
    public GroupAdminService(GroupCoordinators coordinators, long timeoutMillis) {
        this.coordinators = coordinators;
        this.timeoutMillis = timeoutMillis;
    }

    /** Those that this node coordinates. While one of its partitions is being loaded, the answer is that error: a list with holes would look complete. */
    public void list(List<String> states, List<String> types, Callback<ListGroupsResponseData> done) {
        coordinators.readAll(shard -> shard.admin().list(states, types), timeoutMillis, (lists, failure) -> {
            ListGroupsResponseData response = new ListGroupsResponseData();
            if (failure != null) {
                done.succeed(response.setErrorCode(
                        ErrorMapping.ofCoordinator(failure).code()));
                return;
            }
            lists.forEach(response.groups()::addAll);
            done.succeed(response);
        });
    }

    /** @param done in the order of the ids */
    public void describe(MetadataImage image, List<String> ids, short version, Callback<List<DescribedGroup>> done) {
        GroupSpread<String, DescribedGroup> spread = new GroupSpread<>(ids, (id, failure) -> failed(id, failure), done);
        spread.send(
                image,
                id -> id,
                (part, gather) -> coordinators.read(
                        image,
                        part.get(0),
                        timeoutMillis,
                        shard -> shard.admin().describe(part, version),
                        gather));
    }

    private static DescribedGroup failed(String id, Failure failure) {
        return new DescribedGroup()
                .setGroupId(id)
                .setErrorCode(ErrorMapping.ofCoordinator(failure).code());
    }

    /**
     * With their offsets, which may take several steps; a group that got a member between two of them stays, without the offsets removed so far.
     *
     * @param ids each counts once
     * @param done one for each, in the order of the ids
     */
    public void delete(MetadataImage image, List<String> ids, Callback<List<DeletableGroupResult>> done) {
        List<String> each = List.copyOf(new LinkedHashSet<>(ids));
        GroupSpread<String, DeletableGroupResult> spread =
                new GroupSpread<>(each, (id, failure) -> result(id, ErrorMapping.ofCoordinator(failure)), done);
        spread.send(
                image,
                id -> id,
                (part, gather) -> delete(image, part, new LinkedHashMap<>(), (answers, failure) -> {
                    List<DeletableGroupResult> results = new ArrayList<>(part.size());
                    for (String id : part) {
                        // What was deleted before the coordinator failed stays deleted.
                        Errors error = answers.getOrDefault(id, ErrorMapping.ofCoordinator(failure));
                        results.add(result(id, error));
                    }
                    gather.succeed(results);
                }));
    }

    /** Goes on until each has an answer or the coordinator fails. */
    private void delete(MetadataImage image, List<String> left, Map<String, Errors> answers, Outcome done) {
        Coordinator.Write<GroupShard, Map<String, Errors>> step =
                shard -> shard.admin().delete(left);
        Callback<Map<String, Errors>> next = (more, failure) -> {
            if (failure != null) {
                done.done(answers, failure);
                return;
            }
            answers.putAll(more);
            List<String> rest =
                    left.stream().filter(id -> !answers.containsKey(id)).toList();
            if (rest.isEmpty()) {
                done.done(answers, null);
            } else {
                delete(image, rest, answers, done);
            }
        };
        coordinators.write(image, left.get(0), timeoutMillis, step, next);
    }

    /** @see #delete(MetadataImage, List, Map, Outcome) */
    private interface Outcome {
        /** @param failure why some have no answer; null when all have */
        void done(Map<String, Errors> answers, Failure failure);
    }

    private static DeletableGroupResult result(String id, Errors error) {
        return new DeletableGroupResult().setGroupId(id).setErrorCode(error.code());
    }
}
