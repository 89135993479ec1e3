package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** Reads all that is left of transactions when faults have stopped, and judges it: rules T6 to T12, L5, P7, and that jobs have copied each record once. */
final class SimTxnJudge {
    private final SimNet net;
    private final SimTransactions transactions;
    private final SimFinalReader reader;
    private final long patienceMillis;
    private final Map<SimTxnPartition, List<SimTxnEntry>> visible = new LinkedHashMap<>();

    private SimTxnJudge(SimNet net, SimTransactions transactions, SimFinalReader reader, long patienceMillis) {
        this.net = net;
        this.transactions = transactions;
        this.reader = reader;
        this.patienceMillis = patienceMillis;
    }

    /**
     * @param patienceMillis within which every transaction ends by itself (rule L5)
     * @return for comparison: all that is readable, a line each
     */
    static List<String> judge(SimNet net, SimTransactions transactions, SimFinalReader reader, long patienceMillis) {
        return new SimTxnJudge(net, transactions, reader, patienceMillis).judge();
    }

    private List<String> judge() {
        List<String> lines = new ArrayList<>();
        if (transactions.partitions().isEmpty()) {
            return lines;
        }
        allEnd();
        for (SimTxnPartition partition : transactions.partitions()) {
            partition(partition, lines);
        }
        Map<SimTxnId, Long> offsets = new LinkedHashMap<>();
        for (SimTxnProbe probe : transactions.probes()) {
            offsets.put(probe.id(), probe.last(reader));
        }
        Set<String> all = new LinkedHashSet<>();
        visible.forEach((partition, entries) -> entries.forEach(entry -> {
            if (!all.add(entry.text())) {
                throw new RuleBroken(
                        "P7 no duplicates", entry.text() + " is visible twice, also at " + partition.name());
            }
        }));
        for (SimTxnId id : transactions.ids()) {
            for (SimTxn each : id.transactions) {
                atomic(each, all, offsets.get(id));
            }
        }
        copies();
        lines.add(offsets.values().toString());
        return lines;
    }

    /** Rule L5: nothing is open for ever, and the last stable offset reaches the high watermark. */
    private void allEnd() {
        long limit = net.scheduler().now() + patienceMillis * SimScheduler.MILLI;
        String left;
        do {
            left = open();
            if (left == null) {
                return;
            }
            net.scheduler().runFor(500 * SimScheduler.MILLI);
        } while (net.scheduler().now() < limit);
        throw new RuleBroken("L5 the last stable offset moves on", left);
    }

    private String open() {
        ListTransactionsResponseData listed = (ListTransactionsResponseData)
                reader.call(ApiKeys.LIST_TRANSACTIONS, (short) 0, new ListTransactionsRequestData());
        if (listed.errorCode() != Errors.NONE.code()) {
            return "ListTransactions: " + Errors.forCode(listed.errorCode());
        }
        for (var each : listed.transactionStates()) {
            if (!each.transactionState().startsWith("Complete")
                    && !each.transactionState().equals("Empty")) {
                return each.toString();
            }
        }
        for (SimTxnPartition each : transactions.partitions()) {
            long stable = reader.offset(each.topic, each.partition, -1, true);
            long end = reader.offset(each.topic, each.partition, -1, false);
            if (stable != end) {
                return each.name() + ": last stable offset " + stable + ", high watermark " + end
                        + ", and no transaction is open";
            }
        }
        return null;
    }

    private void partition(SimTxnPartition partition, List<String> lines) {
        long end = reader.offset(partition.topic, partition.partition, -1, false);
        List<SimTxnEntry> raw = reader.entries(partition, end, false);
        List<SimTxnEntry> committed = reader.entries(partition, end, true);
        raw.forEach(each -> partition.saw(each, reader.server()));
        committed.forEach(each -> partition.judged(each, "the final reader", reader.server()));
        if (raw.size() != committed.size()) {
            throw new RuleBroken(
                    "V1 no record is skipped", partition.name() + ": " + raw.size() + ", " + committed.size());
        }
        if (end < partition.knownEnd()) {
            throw new RuleBroken(
                    acks(partition), partition.name() + " ends at " + end + ", seen was " + partition.knownEnd());
        }
        List<Boolean> expected = ends(partition, raw);
        List<SimTxnEntry> entries = new ArrayList<>();
        for (int i = 0; i < raw.size(); i++) {
            SimTxnEntry entry = committed.get(i);
            lines.add(partition.name() + "@" + entry.offset() + " " + entry.text() + " " + entry.visible());
            if (entry.visible() != expected.get(i) && raw.size() == end) {
                throw new RuleBroken(
                        "T8 aborted transactions are listed",
                        partition.name() + "@" + entry.offset() + " " + entry.text() + ": visible is " + entry.visible()
                                + ", by the markers " + expected.get(i));
            }
            if (entry.visible()) {
                entries.add(entry);
            }
        }
        visible.put(partition, entries);
        partition.judgeLosses();
        if (!partition.lossy()) {
            sequences(partition, raw);
        }
        Map<Long, String> texts = new LinkedHashMap<>();
        raw.forEach(each -> texts.put(each.offset(), each.text()));
        partition.acked().forEach((value, offset) -> {
            if (!value.equals(texts.get(offset))) {
                throw new RuleBroken(acks(partition), partition.name() + "@" + offset + ": " + value);
            }
        });
    }

    private static String acks(SimTxnPartition partition) {
        return partition.durable ? "I7 durable acks survive" : "I6 acked not lost";
    }

    /** Which records a marker behind them has committed. */
    private static List<Boolean> ends(SimTxnPartition partition, List<SimTxnEntry> raw) {
        List<Boolean> committed = new ArrayList<>();
        Map<Long, List<Integer>> open = new LinkedHashMap<>();
        for (int i = 0; i < raw.size(); i++) {
            SimTxnEntry entry = raw.get(i);
            committed.add(false);
            if (entry.isData()) {
                open.computeIfAbsent(entry.producerId(), none -> new ArrayList<>())
                        .add(i);
                continue;
            }
            List<Integer> ended = open.remove(entry.producerId());
            for (int each : ended == null ? List.<Integer>of() : ended) {
                committed.set(each, entry.kind() == SimTxnEntry.Kind.COMMIT);
            }
        }
        if (!open.isEmpty()) {
            throw new RuleBroken("L5 no transaction stays open", partition.name() + " of producers " + open);
        }
        return committed;
    }

    /** Rules P2, P3, P7. */
    private static void sequences(SimTxnPartition partition, List<SimTxnEntry> raw) {
        Map<Long, SimTxnEntry> last = new LinkedHashMap<>();
        Map<Long, Short> epochs = new LinkedHashMap<>();
        for (SimTxnEntry entry : raw) {
            String place = partition.name() + "@" + entry.offset() + " producer " + entry.producerId() + "/"
                    + entry.producerEpoch();
            Short epoch = epochs.put(entry.producerId(), entry.producerEpoch());
            if (epoch != null && epoch > entry.producerEpoch()) {
                throw new RuleBroken("P3 epoch", place + " after " + epoch);
            }
            if (entry.isData()) {
                SimTxnEntry before = last.put(entry.producerId(), entry);
                boolean same = before != null && before.producerEpoch() == entry.producerEpoch();
                if (entry.sequence() != (same ? before.sequence() + 1 : 0)) {
                    throw new RuleBroken(
                            "P7 sequences",
                            place + ": " + entry.sequence() + " after " + (same ? before.sequence() : -1));
                }
            }
        }
    }

    /** Rules T6, T9: all of a transaction or nothing, and what was answered; where power cuts can have taken nothing of it. */
    private static void atomic(SimTxn transaction, Set<String> all, Long offset) {
        int found = 0;
        int sent = 0;
        for (Map.Entry<SimTxnPartition, List<String>> each : transaction.records.entrySet()) {
            if (!each.getKey().lost(transaction)) {
                sent += each.getValue().size();
                found += (int) each.getValue().stream().filter(all::contains).count();
            }
        }
        boolean whole = found == sent && (sent > 0 || transaction.mayBeVisible());
        if (found > 0 && found < sent) {
            throw new RuleBroken("T9 all or nothing", transaction + ": " + found + " of " + sent + " records");
        }
        if (transaction.mustBeVisible() && found < sent) {
            throw new RuleBroken("T6 a commit that was answered stays", transaction + ": its records are not there");
        }
        if (found > 0 && !transaction.mayBeVisible()) {
            throw new RuleBroken("T9 only committed records", transaction + ": its records are visible");
        }
        if (offset == null || !transaction.offset) {
            return;
        }
        if (found > 0 && offset < transaction.number) {
            throw new RuleBroken(
                    "T9 offsets with the records", transaction + " is visible, but the group's offset is " + offset);
        }
        if (offset == transaction.number && !whole) {
            throw new RuleBroken(
                    "T9 offsets with the records",
                    "the group's offset is that of " + transaction + ", its records are not there");
        }
    }

    /** Each visible record of the input came out once per job. */
    private void copies() {
        Map<String, Integer> copies = new LinkedHashMap<>();
        for (SimTxnPartition partition : transactions.output()) {
            for (SimTxnEntry entry : visible.get(partition)) {
                int end = entry.text().indexOf(SimTxnJob.OF);
                if (end >= 0) {
                    copies.merge(entry.text().substring(0, end), 1, Integer::sum);
                }
            }
        }
        if (transactions.jobs() == 0 || transactions.partitions().stream().anyMatch(SimTxnPartition::lossy)) {
            return;
        }
        for (SimTxnPartition partition : transactions.input()) {
            for (SimTxnEntry entry : visible.get(partition)) {
                String name = partition.name() + "@" + entry.offset();
                int count = copies.getOrDefault(name, 0);
                if (count != transactions.jobs()) {
                    throw new RuleBroken(
                            "T9 exactly once",
                            name + " was copied " + count + " times by " + transactions.jobs() + " jobs");
                }
                net.count("txn.copied");
            }
        }
    }
}
