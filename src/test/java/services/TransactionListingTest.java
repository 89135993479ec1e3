package services;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** ListTransactions as far as no coordinator has to be asked. */
final class TransactionListingTest {

    /** Each would take the loop's time or stack for good, if it were compiled. */
    static List<String> hostile() {
        return List.of(
                "(".repeat(50_000) + "a" + ")".repeat(50_000),
                "((((a{1000}){1000}){1000}){1000}){1000}",
                "(?i)\u1c80",
                "a{0,1000}".repeat(100));
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void patternsAreWeighedBeforeTheyAreCompiled(String pattern) {
        HeldMailboxes none = new HeldMailboxes();
        TransactionService service =
                new TransactionService(new TransactionCoordinators(none, 1), new ProducerIdService(none, 1), 1_000);
        List<ListTransactionsResponseData> answers = new ArrayList<>();
        service.list(
                new ListTransactionsRequestData().setTransactionalIdPattern(pattern),
                (answer, failure) -> answers.add(answer));
        assertEquals(1, answers.size());
        assertEquals(
                Errors.INVALID_REGULAR_EXPRESSION, Errors.forCode(answers.get(0).errorCode()));
    }
}
