package sim;

import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** One request of a transactional producer, sent on new connections until it has an answer that says something; some are given up. */
final class SimTxnCall {
    private final Sender sender;
    private final ApiKeys key;
    private final short version;
    private final ApiMessage request;
    private final Function<ApiMessage, Errors> read;
    private final BiConsumer<Errors, ApiMessage> then;
    private double givesUp;
    private int patienceMillis;
    private long firstSentAt = Long.MAX_VALUE;
    /** An attempt has no answer, or one that leaves it open whether it was done. */
    private boolean unknown;

    /**
     * Whose it is.
     *
     * @param patienceMillis after which a connection that does not answer is closed
     * @param stopped nothing is sent any more, and nobody told
     * @param unanswered told of each attempt without an answer
     */
    record Sender(
            SimNet net,
            SimRandom random,
            SimCoordination coordination,
            int patienceMillis,
            BooleanSupplier stopped,
            Runnable unanswered) {}

    /** @param then the error that {@code read} finds in the answer, and the answer; NETWORK_EXCEPTION and null when it is given up */
    SimTxnCall(
            Sender sender,
            ApiKeys key,
            short version,
            ApiMessage request,
            Function<ApiMessage, Errors> read,
            BiConsumer<Errors, ApiMessage> then) {
        this.sender = sender;
        this.key = key;
        this.version = version;
        this.request = request;
        this.read = read;
        this.then = then;
        this.givesUp = key == ApiKeys.PRODUCE || key == ApiKeys.TXN_OFFSET_COMMIT ? 0.3 : 0;
        this.patienceMillis = sender.patienceMillis;
    }

    /** It is given up when the answer does not come at once: then it may be done at any time later. */
    SimTxnCall hasty(int millis) {
        givesUp = 1;
        patienceMillis = millis;
        return this;
    }

    /** When its first attempt was sent, virtual nanoseconds. */
    long firstSentAt() {
        return firstSentAt;
    }

    /** Whether an attempt may have been done although nobody said so. */
    boolean unknown() {
        return unknown;
    }

    SimTxnCall send() {
        if (sender.stopped.getAsBoolean()) {
            return this;
        }
        if (!sender.coordination.ready()) {
            again(5);
            return this;
        }
        firstSentAt = Math.min(firstSentAt, sender.net.scheduler().now());
        sender.coordination.link().send(key, version, request, patienceMillis, true, this::answered);
        return this;
    }

    private void again(int millis) {
        long pause = (1 + sender.random.below(2 * millis)) * SimScheduler.MILLI;
        sender.net.scheduler().after(pause, null, "txn-again", this::send);
    }

    private void answered(ApiMessage answer) {
        if (sender.stopped.getAsBoolean()) {
            return;
        }
        if (answer == null) {
            sender.net.count("txn.unanswered");
            unknown = true;
            sender.unanswered.run();
            if (givesUp > 0 && sender.random.chance(givesUp)) {
                sender.net.count("txn.given-up");
                then.accept(Errors.NETWORK_EXCEPTION, null);
            } else {
                again(20);
            }
            return;
        }
        Errors error = read.apply(answer);
        sender.net.count(key + "." + error);
        if (SimOutcomes.retriable(error) || error == Errors.CONCURRENT_TRANSACTIONS) {
            unknown = true;
            again(10);
        } else if (error == Errors.NOT_COORDINATOR) {
            unknown = true;
            sender.coordination.lost();
            again(10);
        } else {
            then.accept(error, answer);
        }
    }
}
