package group.assign;

import group.assign.Assignor.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.agrona.collections.Object2IntHashMap;
import org.apache.kafka.common.Uuid;

/**
 * {@code uniform} for members that all subscribe to the same topics: time in proportion to partitions and members. Each keeps what it has up to its quota; the
 * larger quotas go to those that can keep more by them; what is left goes round among the members with room, topic by topic, so that single topics are spread
 * too.
 */
final class EqualShares {
    private static final int NOBODY = -1;
    private static final int[] NONE = {};

    private final List<Member> members;
    private final List<Uuid> topics;
    private final int[][] owners;
    /** What each member may still take. */
    private final int[] room;
    /** Who gets or loses a partition. */
    private final boolean[] changed;

    EqualShares(List<Member> members, Map<Uuid, Integer> partitionCounts) {
        this.members = members;
        this.topics = members.get(0).topics();
        this.owners = new int[topics.size()][];
        this.room = new int[members.size()];
        this.changed = new boolean[members.size()];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = new int[partitionCounts.get(topics.get(i))];
            Arrays.fill(owners[i], NOBODY);
        }
    }

    List<PartitionSet> assign() {
        int[] had = findOwners();
        setQuotas(had);
        keepWithinQuotas();
        dealOut();
        return shares(had);
    }

    /** Of most members nothing changes when one comes or goes: they keep the set they have. */
    private List<PartitionSet> shares(int[] had) {
        PartitionSet.Builder[] builders = new PartitionSet.Builder[members.size()];
        for (int i = 0; i < builders.length; i++) {
            if (changed[i] || had[i] != members.get(i).current().size()) {
                builders[i] = new PartitionSet.Builder();
            }
        }
        for (int i = 0; i < owners.length; i++) {
            for (int partition = 0; partition < owners[i].length; partition++) {
                PartitionSet.Builder builder = builders[owners[i][partition]];
                if (builder != null) {
                    builder.add(topics.get(i), partition);
                }
            }
        }
        List<PartitionSet> shares = new ArrayList<>(builders.length);
        for (int i = 0; i < builders.length; i++) {
            shares.add(builders[i] == null ? members.get(i).current() : builders[i].build());
        }
        return shares;
    }

    private int[] findOwners() {
        Object2IntHashMap<Uuid> indexes = new Object2IntHashMap<>(NOBODY);
        for (int i = 0; i < topics.size(); i++) {
            indexes.put(topics.get(i), i);
        }
        int[] had = new int[members.size()];
        for (int i = 0; i < members.size(); i++) {
            int member = i;
            members.get(i).current().forEachTopic((topic, partitions) -> {
                int at = indexes.getValue(topic);
                int[] of = at < 0 ? NONE : owners[at];
                for (int partition : partitions) {
                    if (partition < of.length && of[partition] == NOBODY) {
                        of[partition] = member;
                        had[member]++;
                    }
                }
            });
        }
        return had;
    }

    private void setQuotas(int[] had) {
        int partitions = 0;
        for (int[] topic : owners) {
            partitions += topic.length;
        }
        int quota = partitions / members.size();
        int larger = partitions % members.size();
        Arrays.fill(room, quota);
        for (int i = 0; i < room.length && larger > 0; i++) {
            if (had[i] > quota) {
                room[i]++;
                larger--;
            }
        }
        for (int i = 0; i < room.length && larger > 0; i++) {
            if (had[i] <= quota) {
                room[i]++;
                larger--;
            }
        }
    }

    private void keepWithinQuotas() {
        for (int[] topic : owners) {
            for (int partition = 0; partition < topic.length; partition++) {
                int owner = topic[partition];
                if (owner == NOBODY) {
                    continue;
                }
                if (room[owner] > 0) {
                    room[owner]--;
                } else {
                    topic[partition] = NOBODY;
                    changed[owner] = true;
                }
            }
        }
    }

    private void dealOut() {
        int[] open = new int[room.length];
        int count = 0;
        for (int i = 0; i < room.length; i++) {
            if (room[i] > 0) {
                open[count++] = i;
            }
        }
        int at = 0;
        for (int[] topic : owners) {
            for (int partition = 0; partition < topic.length; partition++) {
                if (topic[partition] != NOBODY) {
                    continue;
                }
                at = at < count ? at : 0;
                int owner = open[at];
                topic[partition] = owner;
                changed[owner] = true;
                room[owner]--;
                if (room[owner] > 0) {
                    at++;
                } else {
                    count--;
                    System.arraycopy(open, at + 1, open, at, count - at);
                }
            }
        }
    }
}
