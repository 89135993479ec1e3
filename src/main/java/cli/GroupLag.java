package cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.TopicPartition;

/**
 * How far a group is behind, for each partition that it has committed or that a member has.
 *
 * @param rows by topic and partition
 */
record GroupLag(List<Row> rows) {

    static final Comparator<TopicPartition> ORDER =
            Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

    /**
     * @param committed null: nothing committed
     * @param end null: not known, as the partition is gone or has no leader
     * @param ageMillis of the first record not committed; null when there is none or it is not known
     * @param member who has the partition; null for nobody
     */
    record Row(TopicPartition partition, Long committed, Long end, Long ageMillis, MemberDescription member) {

        /** In records, never negative; null when not known. The end may have been asked before the last commit. */
        Long lag() {
            return committed == null || end == null ? null : Long.valueOf(Math.max(0, end - committed));
        }

        String age() {
            return seconds(ageMillis);
        }
    }

    static GroupLag of(
            Map<TopicPartition, Long> committed,
            Map<TopicPartition, Long> ends,
            Map<TopicPartition, Long> ages,
            Map<TopicPartition, MemberDescription> owners) {
        TreeMap<TopicPartition, Row> rows = new TreeMap<>(ORDER);
        List<TopicPartition> all = new ArrayList<>(committed.keySet());
        all.addAll(owners.keySet());
        for (TopicPartition partition : all) {
            rows.put(
                    partition,
                    new Row(
                            partition,
                            committed.get(partition),
                            ends.get(partition),
                            ages.get(partition),
                            owners.get(partition)));
        }
        return new GroupLag(List.copyOf(rows.values()));
    }

    /** Where there is something to read behind what is committed. */
    static Map<TopicPartition, Long> behind(Map<TopicPartition, Long> committed, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, Long> behind = new LinkedHashMap<>();
        committed.forEach((partition, offset) -> {
            Long end = ends.get(partition);
            if (end != null && end > offset) {
                behind.put(partition, offset);
            }
        });
        return behind;
    }

    /** Of all partitions whose lag is known. */
    long total() {
        long total = 0;
        for (Row row : rows) {
            total += row.lag() == null ? 0 : row.lag();
        }
        return total;
    }

    /** Of the partition that is most behind; null when none is known. */
    Long oldestMillis() {
        Long oldest = null;
        for (Row row : rows) {
            if (row.ageMillis() != null && (oldest == null || row.ageMillis() > oldest)) {
                oldest = row.ageMillis();
            }
        }
        return oldest;
    }

    static String seconds(Long millis) {
        return millis == null ? "-" : String.format(Locale.ROOT, "%.1f", millis / 1000.0);
    }
}
