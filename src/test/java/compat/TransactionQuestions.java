package compat;

import compat.TransactionSteps.Writer;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * What is asked of transaction coordinators: in each state of a transactional id, by its producer and by others, in every version. Refused requests change
 * nothing, so those come first, and all of a version ask about the same id.
 */
final class TransactionQuestions {
    private static final String TOPIC = "transactions";
    private static final String NOBODY = "nobody";
    private static final short BATCHED = 4;

    private final Conversation talk;
    private final TransactionSteps steps;
    private final Map<String, Writer> writers = new HashMap<>();

    private TransactionQuestions(Conversation talk) {
        this.talk = talk;
        this.steps = new TransactionSteps(talk, TOPIC);
    }

    static void ask(Conversation talk) throws IOException {
        talk.askLatest(
                "create a topic for transactions",
                ApiKeys.CREATE_TOPICS,
                AdminQuestions.topics(AdminQuestions.topic(TOPIC, 4, 1)));
        MetadataRequestData whatIsItsId = new MetadataRequestData();
        whatIsItsId.topics().add(new MetadataRequestTopic().setName(TOPIC));
        talk.askLatest("its id", ApiKeys.METADATA, whatIsItsId);
        TransactionQuestions questions = new TransactionQuestions(talk);
        talk.awaitCoordinator("any");
        questions.steps.awaitCoordinator();
        // While there are few to list.
        questions.descriptions();
        questions.listings();
        questions.inits();
        questions.initsInStates();
        questions.additions();
        questions.additionsInStates();
        questions.offsetsInStates();
        questions.endsInStates();
        questions.batches();
    }

    // ---- states of a transactional id, and who may ask

    /** By name: brings a new id there, and gives the producer that thinks it is the current one. */
    private Map<String, Function<String, Writer>> states() {
        Map<String, Function<String, Writer>> states = new LinkedHashMap<>();
        states.put("empty", steps::init);
        states.put("open", this::open);
        states.put("open2", this::open2);
        states.put("committed", id -> steps.ended(open(id), TransactionSteps.END_1, true));
        states.put("aborted", id -> steps.ended(open(id), TransactionSteps.END_1, false));
        states.put("committed2", id -> steps.ended(open2(id), TransactionSteps.END_2, true));
        states.put("aborted2", id -> steps.ended(open2(id), TransactionSteps.END_2, false));
        states.put("fenced", id -> {
            Writer old = open(id);
            steps.initOnce(id);
            return old;
        });
        states.put("fenced2", id -> {
            Writer old = open2(id);
            steps.initOnce(id);
            return old;
        });
        return states;
    }

    private Writer open(String id) {
        return steps.added(steps.init(id), 0);
    }

    private Writer open2(String id) {
        return steps.produced(steps.init(id), TransactionSteps.PRODUCE_2, 0, 0);
    }

    /** Those that are refused in most states come first. */
    private static Map<String, UnaryOperator<Writer>> claims() {
        Map<String, UnaryOperator<Writer>> claims = new LinkedHashMap<>();
        claims.put("an unknown id", writer -> writer.named(NOBODY));
        claims.put("another producer", writer -> writer.producer(77_777));
        claims.put("a higher epoch", writer -> writer.epoch(writer.epoch() + 5));
        claims.put("a negative epoch", writer -> writer.epoch(-1));
        claims.put("the epoch before the last", writer -> writer.epoch(writer.epoch() - 2));
        claims.put("the last epoch", writer -> writer.epoch(writer.epoch() - 1));
        claims.put("its producer", writer -> writer);
        claims.put("its producer again", writer -> writer);
        claims.put("the next epoch", writer -> writer.epoch(writer.epoch() + 1));
        return claims;
    }

    private interface Request {
        ApiMessage by(Writer writer, short version);
    }

    /** Asks in each state, by each claim. */
    private void inStates(String label, ApiKeys key, Request request) {
        inStates(label, key, false, request);
    }

    /** @param alone each claim about an id of its own */
    private void inStates(String label, ApiKeys key, boolean alone, Request request) {
        states().forEach((state, prepare) -> claims().forEach((claim, as) ->
                talk.ask(label + " by " + claim + " when " + state, key, (v, s) -> {
                    String id = (label + "-" + state + (alone ? "-" + claim : "")).replace(' ', '-') + "-" + s;
                    boolean known = writers.containsKey(id);
                    Writer writer = writers.computeIfAbsent(id, prepare);
                    if (known) {
                        steps.settle(id);
                    }
                    return request.by(as.apply(writer), v);
                })));
    }

    // ---- InitProducerId

    private static InitProducerIdRequestData init(String id, int timeoutMillis) {
        return new InitProducerIdRequestData().setTransactionalId(id).setTransactionTimeoutMs(timeoutMillis);
    }

    private static InitProducerIdRequestData init(Writer writer) {
        return init(writer.id(), TransactionSteps.TIMEOUT_MILLIS)
                .setProducerId(writer.producerId())
                .setProducerEpoch(writer.epoch());
    }

    private void inits() {
        ApiKeys key = ApiKeys.INIT_PRODUCER_ID;
        talk.ask("init", key, (v, s) -> init("new-" + s, 60_000));
        talk.ask("init again", key, (v, s) -> init("new-" + s, 61_000));
        for (int timeout : new int[] {0, -1, Integer.MIN_VALUE, 1, 900_000, 900_001}) {
            talk.ask("init for " + timeout + " ms", key, (v, s) -> init("new-" + s, timeout));
        }
        talk.ask("init without name", key, (v, s) -> init("", 60_000));
        talk.ask("init with a long name", key, (v, s) -> init("n".repeat(2_000) + s, 60_000));
        talk.ask(
                "init with a claim of nobody",
                key,
                (v, s) -> v < 3
                        ? null
                        : init("claimed-" + s, 60_000).setProducerId(5).setProducerEpoch((short) 3));
        talk.ask(
                "init with an id only",
                key,
                (v, s) -> v < 3 ? null : init("half-" + s, 60_000).setProducerId(5));
        talk.ask(
                "init with an epoch only",
                key,
                (v, s) -> v < 3 ? null : init("half-" + s, 60_000).setProducerEpoch((short) 5));
    }

    private void initsInStates() {
        // Where a transaction is open Kafka ends it, whoever asks.
        inStates(
                "init",
                ApiKeys.INIT_PRODUCER_ID,
                true,
                (writer, v) -> v < 3 || writer.id().equals(NOBODY) ? null : init(writer));
        states().forEach((state, prepare) -> {
            for (String time : List.of("", " again")) {
                talk.ask("init without claim" + time + " when " + state, ApiKeys.INIT_PRODUCER_ID, (v, s) -> {
                    String id = "initial-" + state + "-" + s;
                    writers.computeIfAbsent(id, prepare);
                    steps.settle(id);
                    return init(id, TransactionSteps.TIMEOUT_MILLIS);
                });
            }
        });
    }

    // ---- AddPartitionsToTxn, AddOffsetsToTxn

    private void added(String label, AddPartitionsToTxnTopicCollection topics) {
        talk.ask("add " + label, ApiKeys.ADD_PARTITIONS_TO_TXN, (v, s) -> {
            Writer writer = writers.computeIfAbsent("adds-" + s, steps::init);
            return v < BATCHED
                    ? TransactionSteps.add(writer, topics.duplicate())
                    : batch(transaction(writer, false, topics.duplicate()));
        });
        talk.ask("state after add " + label, ApiKeys.DESCRIBE_TRANSACTIONS, (v, s) -> describe("adds-v3", "adds-v5"));
    }

    private void additions() {
        added("nothing", new AddPartitionsToTxnTopicCollection());
        added("no partitions", TransactionSteps.partitions(TOPIC));
        added("to nobody", TransactionSteps.partitions(NOBODY, 0));
        added("to no partition", TransactionSteps.partitions(TOPIC, 9));
        added("to a negative partition", TransactionSteps.partitions(TOPIC, -1));
        AddPartitionsToTxnTopicCollection mixed = TransactionSteps.partitions(TOPIC, 0, 9);
        mixed.addAll(TransactionSteps.partitions(NOBODY, 0).valuesSet().stream()
                .map(each -> each.duplicate())
                .toList());
        added("partly to nobody", mixed);
        added("to an internal topic", TransactionSteps.partitions("__consumer_offsets", 0));
        added("two", TransactionSteps.partitions(TOPIC, 1, 0));
        added("one again and one more", TransactionSteps.partitions(TOPIC, 0, 2));
        added("a partition twice", TransactionSteps.partitions(TOPIC, 3, 3));
        talk.ask(
                "add by nobody",
                ApiKeys.ADD_PARTITIONS_TO_TXN,
                (v, s) -> v >= BATCHED
                        ? null
                        : TransactionSteps.add(new Writer("", 5, (short) 0), TransactionSteps.partitions(TOPIC, 0)));
        talk.ask(
                "add offsets by nobody",
                ApiKeys.ADD_OFFSETS_TO_TXN,
                (v, s) -> TransactionSteps.addOffsets(new Writer("", 5, (short) 0), "g"));
        talk.ask("add offsets of the empty group", ApiKeys.ADD_OFFSETS_TO_TXN, (v, s) -> {
            Writer writer = writers.computeIfAbsent("offsets-" + s, steps::init);
            return TransactionSteps.addOffsets(writer, "");
        });
    }

    private void additionsInStates() {
        inStates(
                "add",
                ApiKeys.ADD_PARTITIONS_TO_TXN,
                (writer, v) -> v < BATCHED
                        ? TransactionSteps.add(writer, TransactionSteps.partitions(TOPIC, 1))
                        : batch(transaction(writer, false, TransactionSteps.partitions(TOPIC, 1))));
        inStates(
                "verify",
                ApiKeys.ADD_PARTITIONS_TO_TXN,
                (writer, v) -> v < BATCHED
                        ? null
                        : batch(transaction(writer, true, TransactionSteps.partitions(TOPIC, 0, 1))));
    }

    private void offsetsInStates() {
        inStates("add offsets", ApiKeys.ADD_OFFSETS_TO_TXN, (writer, v) -> TransactionSteps.addOffsets(writer, "g"));
    }

    private static AddPartitionsToTxnTransaction transaction(
            Writer writer, boolean verifyOnly, AddPartitionsToTxnTopicCollection topics) {
        return new AddPartitionsToTxnTransaction()
                .setTransactionalId(writer.id())
                .setProducerId(writer.producerId())
                .setProducerEpoch(writer.epoch())
                .setVerifyOnly(verifyOnly)
                .setTopics(topics);
    }

    private static AddPartitionsToTxnRequestData batch(AddPartitionsToTxnTransaction... transactions) {
        AddPartitionsToTxnRequestData request = new AddPartitionsToTxnRequestData();
        for (AddPartitionsToTxnTransaction each : transactions) {
            request.transactions().mustAdd(each);
        }
        return request;
    }

    /** What brokers ask for several producers at once. */
    private void batches() {
        ApiKeys key = ApiKeys.ADD_PARTITIONS_TO_TXN;
        talk.ask("add for several", key, (v, s) -> {
            if (v < BATCHED) {
                return null;
            }
            Writer one = writers.computeIfAbsent("several-1-" + s, this::open);
            Writer two = writers.computeIfAbsent("several-2-" + s, this::open);
            return batch(
                    transaction(one, true, TransactionSteps.partitions(TOPIC, 0)),
                    transaction(two, false, TransactionSteps.partitions(TOPIC, 2, 3)),
                    transaction(one.named(NOBODY), true, TransactionSteps.partitions(TOPIC, 0)));
        });
        for (boolean verify : new boolean[] {true, false}) {
            String what = verify ? "verify " : "add ";
            Map<String, AddPartitionsToTxnTopicCollection> all = new LinkedHashMap<>();
            all.put("nothing", new AddPartitionsToTxnTopicCollection());
            all.put("nobody's topic", TransactionSteps.partitions(NOBODY, 0));
            all.put("good and no partition", TransactionSteps.partitions(TOPIC, 0, 9));
            all.put("an internal topic", TransactionSteps.partitions("__consumer_offsets", 0));
            all.forEach((label, topics) -> talk.ask(what + label + " for a broker", key, (v, s) -> {
                if (v < BATCHED) {
                    return null;
                }
                Writer writer = writers.computeIfAbsent("brokers-" + s, this::open);
                return batch(transaction(writer, verify, topics.duplicate()));
            }));
            talk.ask(
                    what + "for a nameless producer",
                    key,
                    (v, s) -> v < BATCHED
                            ? null
                            : batch(transaction(
                                    new Writer("", 5, (short) 0), verify, TransactionSteps.partitions(TOPIC, 0))));
        }
    }

    // ---- EndTxn

    private void endsInStates() {
        inStates("commit", ApiKeys.END_TXN, (writer, v) -> TransactionSteps.end(writer, true));
        inStates("abort", ApiKeys.END_TXN, (writer, v) -> TransactionSteps.end(writer, false));
        for (boolean first : new boolean[] {true, false}) {
            for (String state : List.of("open", "open2")) {
                String label = (first ? "commit" : "abort") + " first when " + state;
                for (boolean second : new boolean[] {first, !first, first}) {
                    talk.ask(label + ", then " + second, ApiKeys.END_TXN, (v, s) -> {
                        String id = label.replace(' ', '-') + s;
                        Writer writer = writers.computeIfAbsent(id, states().get(state));
                        steps.settle(id);
                        return TransactionSteps.end(writer, second);
                    });
                }
            }
        }
        talk.ask("end of nobody", ApiKeys.END_TXN, (v, s) -> TransactionSteps.end(new Writer("", 5, (short) 0), true));
    }

    // ---- what admins see

    private static DescribeTransactionsRequestData describe(String... ids) {
        return new DescribeTransactionsRequestData().setTransactionalIds(List.of(ids));
    }

    private void descriptions() {
        ApiKeys key = ApiKeys.DESCRIBE_TRANSACTIONS;
        for (String state : states().keySet()) {
            String id = "shown-" + state;
            talk.ask("describe when " + state, key, (v, s) -> {
                writers.computeIfAbsent(id, states().get(state));
                steps.settle(id);
                return describe(id);
            });
        }
        talk.ask("describe several", key, (v, s) -> describe("shown-open", NOBODY, "shown-empty"));
        talk.ask("describe one twice", key, (v, s) -> describe("shown-open", "shown-open"));
        talk.ask("describe none", key, (v, s) -> describe());
        talk.ask("describe the nameless", key, (v, s) -> describe(""));
        talk.ask("describe the nameless and one", key, (v, s) -> describe("", "shown-open"));
    }

    private void listings() {
        ApiKeys key = ApiKeys.LIST_TRANSACTIONS;
        for (List<String> filter : List.of(
                List.<String>of(),
                List.of("Ongoing"),
                List.of("ongoing"),
                List.of("Empty", "CompleteAbort"),
                List.of("nonsense"),
                List.of("nonsense", "Ongoing"),
                List.of(""),
                List.of("Dead"),
                List.of("PrepareEpochFence"))) {
            talk.ask("list in " + filter, key, (v, s) -> new ListTransactionsRequestData().setStateFilters(filter));
        }
        talk.ask(
                "list of producers",
                key,
                (v, s) -> new ListTransactionsRequestData()
                        .setProducerIdFilters(List.of(writers.get("shown-open").producerId(), 99_999L)));
        talk.ask(
                "list of a producer in a state",
                key,
                (v, s) -> new ListTransactionsRequestData()
                        .setStateFilters(List.of("Empty"))
                        .setProducerIdFilters(List.of(writers.get("shown-open").producerId())));
        for (long age : new long[] {-2, -1, 0, 3_600_000, Long.MAX_VALUE}) {
            talk.ask(
                    "list older than " + age,
                    key,
                    (v, s) -> v < 1 ? null : new ListTransactionsRequestData().setDurationFilter(age));
        }
        for (String pattern : List.of("", "shown-open", "shown", "shown-.*", "SHOWN.*", "(", "nothing.*")) {
            talk.ask(
                    "list like " + pattern,
                    key,
                    (v, s) -> v < 2 ? null : new ListTransactionsRequestData().setTransactionalIdPattern(pattern));
        }
    }
}
