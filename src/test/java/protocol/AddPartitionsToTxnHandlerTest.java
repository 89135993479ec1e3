package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import common.Callback;
import common.Mailboxes;
import common.OwnerCall;
import common.OwnerId;
import coordinator.Coordinator;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnResult;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import services.ProducerIdService;
import services.TransactionCoordinators;
import services.TransactionService;

/** Requests of several transactions at once, as brokers send them. */
final class AddPartitionsToTxnHandlerTest {
    private static final short BATCHED = 4;

    private final Images images =
            new Images().topic("orders", new Uuid(11, 12), 3, 1).topic("__transaction_state", new Uuid(13, 14), 4, 1);
    private final ArrayDeque<Runnable> held = new ArrayDeque<>();
    private final AddPartitionsToTxnHandler handler;

    AddPartitionsToTxnHandlerTest() {
        Mailboxes coordinators = new HeldCalls();
        handler = new AddPartitionsToTxnHandler(new TransactionService(
                new TransactionCoordinators(coordinators, 1), new ProducerIdService(coordinators, 1), 1_000));
    }

    /** Coordinators that answer when they are let; everything is added. */
    private final class HeldCalls implements Mailboxes {
        @Override
        public <O, T> void call(OwnerId<O> to, OwnerCall<O, T> call, long timeoutMillis, Callback<T> done) {
            held.add(() -> call.run(to.type().cast(coordinator(to.type())), done));
        }

        private Object coordinator(Class<?> type) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                assertEquals("write", method.getName());
                assertEquals(Coordinator.Write.class, method.getParameterTypes()[1]);
                @SuppressWarnings("unchecked")
                Callback<Errors> reply = (Callback<Errors>) arguments[2];
                reply.succeed(Errors.NONE);
                return null;
            });
        }

        @Override
        public <O> void tell(OwnerId<O> to, Consumer<O> message) {
            throw new UnsupportedOperationException();
        }
    }

    private static AddPartitionsToTxnTransaction transaction(String id, String topic) {
        return new AddPartitionsToTxnTransaction()
                .setTransactionalId(id)
                .setProducerId(1)
                .setTopics(new AddPartitionsToTxnTopicCollection(
                        List.of(new AddPartitionsToTxnTopic().setName(topic).setPartitions(List.of(0)))
                                .iterator()));
    }

    private HandlerCall call(AddPartitionsToTxnRequestData request) {
        return HandlerCall.of(handler, BATCHED, images::image, request);
    }

    private static List<String> results(HandlerCall call) {
        List<String> all = new ArrayList<>();
        AddPartitionsToTxnResponseData answer = call.answer(AddPartitionsToTxnResponseData.class);
        for (AddPartitionsToTxnResult each : answer.resultsByTransaction()) {
            each.topicResults()
                    .forEach(topic -> topic.resultsByPartition()
                            .forEach(partition -> all.add(each.transactionalId() + " " + topic.name() + " "
                                    + Errors.forCode(partition.partitionErrorCode()))));
        }
        return all;
    }

    @Test
    void eachTransactionIsAnsweredInOrderWhateverTheOthersTake() {
        AddPartitionsToTxnRequestData request = new AddPartitionsToTxnRequestData();
        request.transactions().add(transaction("a", "orders"));
        request.transactions().add(transaction("b", "unknown"));
        request.transactions().add(transaction("c", "orders"));
        HandlerCall call = call(request);
        assertEquals(2, held.size(), "none waits for the other");
        held.pollLast().run();
        assertEquals(false, call.answered());
        held.poll().run();
        assertEquals(List.of("a orders NONE", "b unknown UNKNOWN_TOPIC_OR_PARTITION", "c orders NONE"), results(call));
    }

    @Test
    void anEmptyRequestIsAnswered() {
        assertEquals(List.of(), results(call(new AddPartitionsToTxnRequestData())));
    }

    /** Answered at once, each of them: not one inside of the other. */
    @Test
    void manyThatAreRefusedTakeNoStack() {
        AddPartitionsToTxnRequestData request = new AddPartitionsToTxnRequestData();
        int count = 50_000;
        for (int i = 0; i < count; i++) {
            request.transactions().add(transaction("id" + i, "unknown"));
        }
        List<String> results = results(call(request));
        assertEquals(count, results.size());
        assertEquals("id49999 unknown UNKNOWN_TOPIC_OR_PARTITION", results.get(count - 1));
    }
}
