package sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** One group of a world: what it reads, its time limits, and the judges that all its members report to. Times in milliseconds. */
final class SimGroup {
    final String id;
    final Spec spec;
    final List<PartitionLedger> partitions;
    final OffsetHistory.Book offsets;
    final GenerationJudge generations;
    final OwnershipJudge owners;
    private final List<Member> members = new ArrayList<>();

    enum Kind {
        CLASSIC,
        CONSUMER,
        /** Of KIP-848, and some of its members speak the classic protocol: so it is now of the one, now of the other kind. */
        MIXED
    }

    record Spec(Kind kind, int sessionMillis, int rebalanceMillis, int heartbeatMillis) {}

    /** A member as its world sees it. */
    interface Member extends SimClient {
        /** Its generation or epoch when it takes part and nothing changes; -1 else. */
        int settledAt();

        /** Partitions that it owns. */
        List<String> owned();

        String memberId();
    }

    SimGroup(String id, Spec spec, List<PartitionLedger> partitions) {
        this.id = id;
        this.spec = spec;
        this.partitions = partitions;
        this.offsets = new OffsetHistory.Book(id);
        this.generations = new GenerationJudge(id);
        this.owners = new OwnershipJudge(id, spec.sessionMillis, spec.rebalanceMillis);
    }

    void add(Member member) {
        members.add(member);
    }

    List<Member> members() {
        return members;
    }

    List<String> topics() {
        return partitions.stream().map(each -> each.topic).distinct().toList();
    }

    List<Integer> partitionsOf(String topic) {
        return partitions.stream()
                .filter(each -> each.topic.equals(topic))
                .map(each -> each.partition)
                .toList();
    }

    /** Every member takes part in the same generation, and together they own each partition once. */
    boolean stable() {
        int first = members.get(0).settledAt();
        Predicate<Member> same = each -> each.settledAt() == first;
        List<String> owned =
                members.stream().flatMap(each -> each.owned().stream()).sorted().toList();
        List<String> all =
                partitions.stream().map(PartitionLedger::name).sorted().toList();
        return first >= 0 && members.stream().allMatch(same) && owned.equals(all);
    }

    /** Who owns what in which generation, for comparison. */
    List<String> describe() {
        return members.stream()
                .map(each -> each.memberId() + " at " + each.settledAt() + " owns " + each.owned())
                .toList();
    }
}
