package crash;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.TopicPartition;

/** The members of one group, some of them static, polled in turn by the test's thread. */
final class GroupTeam implements AutoCloseable {
    private final RealBroker broker;
    private final GroupWatch watch;
    private final GroupMember.Protocol protocol;
    private final GroupMember.SubscribeCall subscription;
    private final Map<String, GroupMember> members = new LinkedHashMap<>();
    /** Topic to its partitions. */
    private final Map<String, Integer> topics = new LinkedHashMap<>();

    private GroupTeam(
            RealBroker broker, String group, GroupMember.Protocol protocol, GroupMember.SubscribeCall subscription) {
        this.broker = broker;
        this.watch = new GroupWatch(group);
        this.protocol = protocol;
        this.subscription = subscription;
    }

    static GroupTeam of(RealBroker broker, String group, GroupMember.Protocol protocol, String topic) {
        return new GroupTeam(
                broker, group, protocol, (consumer, listener) -> consumer.subscribe(List.of(topic), listener));
    }

    /** @param pattern a regular expression that the broker resolves */
    static GroupTeam ofPattern(RealBroker broker, String group, String pattern) {
        return new GroupTeam(
                broker,
                group,
                GroupMember.Protocol.CONSUMER,
                (consumer, listener) -> consumer.subscribe(new SubscriptionPattern(pattern), listener));
    }

    /** A topic that the group's subscription takes in. */
    GroupTeam reads(String topic, int partitions) {
        topics.put(topic, partitions);
        return this;
    }

    GroupMember.Protocol protocol() {
        return protocol;
    }

    String group() {
        return watch.group();
    }

    Iterable<String> topics() {
        return topics.keySet();
    }

    GroupTeam join(String name) {
        return join(name, Map.of());
    }

    GroupTeam joinStatic(String name) {
        return join(name, Map.of("group.instance.id", name));
    }

    GroupTeam join(String name, Map<String, Object> settings) {
        GroupMember member = new GroupMember(broker, watch, protocol, name, settings);
        members.put(name, member);
        member.subscribe(subscription);
        return this;
    }

    /** What the member had. */
    Set<TopicPartition> leave(String name) {
        GroupMember member = members.remove(name);
        Set<TopicPartition> had = Set.copyOf(member.assignment());
        member.leave();
        return had;
    }

    GroupMember member(String name) {
        return members.get(name);
    }

    void poll() {
        members.values().forEach(GroupMember::poll);
    }

    void commit() {
        members.values().forEach(GroupMember::commit);
    }

    /** Every partition has one owner, and every member has some. */
    boolean isSettled() {
        Set<TopicPartition> owned = new LinkedHashSet<>();
        List<TopicPartition> all = new ArrayList<>();
        boolean each = true;
        for (GroupMember member : members.values()) {
            owned.addAll(member.assignment());
            all.addAll(member.assignment());
            each &= !member.assignment().isEmpty();
        }
        int partitions = topics.values().stream().mapToInt(Integer::intValue).sum();
        return each && owned.size() == partitions && all.size() == partitions;
    }

    /** All that was sent was read, and all that was read is committed. */
    boolean isDone(NumberedSource source) {
        return watch.hasRead(source.sent(topics())) && watch.hasCommittedAll();
    }

    void check(Admin admin) throws Exception {
        watch.check(admin);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(watch.toString());
        members.forEach(
                (name, member) -> text.append(' ').append(name).append('=').append(member.assignment()));
        return text.toString();
    }

    @Override
    public void close() {
        members.values().forEach(GroupMember::close);
    }
}
