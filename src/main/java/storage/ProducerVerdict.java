package storage;

import common.Failure;
import common.FailureCode;

/**
 * Whether a batch of an idempotent or transactional producer may be appended.
 *
 * @param baseOffset and lastOffset, timestamp: of the original batch when {@code kind} is DUPLICATE (rule P1), else -1
 * @param timestamp max timestamp of the original batch, milliseconds
 * @param failure when {@code kind} is REFUSED, else null
 */
public record ProducerVerdict(Kind kind, long baseOffset, long lastOffset, long timestamp, Failure failure) {

    public enum Kind {
        OK,
        DUPLICATE,
        REFUSED
    }

    static final ProducerVerdict OK = new ProducerVerdict(Kind.OK, -1, -1, -1, null);

    static ProducerVerdict refused(FailureCode code, String message) {
        return new ProducerVerdict(Kind.REFUSED, -1, -1, -1, Failure.of(code, message));
    }
}
