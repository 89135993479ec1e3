package protocol;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import services.InternalTopics;
import services.TransactionService;

/** The handlers about transactions, for one server instance. */
public final class TransactionHandlers {
    private TransactionHandlers() {}

    public static List<ApiHandler> of(TransactionService service, InternalTopics internalTopics) {
        return List.of(
                new AddPartitionsToTxnHandler(service),
                new AddOffsetsToTxnHandler(service, internalTopics),
                new EndTxnHandler(service),
                new DescribeTransactionsHandler(service),
                new ListTransactionsHandler(service));
    }

    /** Clients below {@code since} know fenced producers by another code. */
    static Errors fenced(Errors error, short version, short since) {
        return error == Errors.PRODUCER_FENCED && version < since ? Errors.INVALID_PRODUCER_EPOCH : error;
    }
}
