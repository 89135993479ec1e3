package transaction;

import org.apache.kafka.common.protocol.Errors;

/**
 * The answer to InitProducerId and EndTxn.
 *
 * @param producerId to be used from now on; -1 with an error
 * @param needsProducerId nothing was done: to be asked again with a producer id that nobody has
 */
public record ProducerAnswer(Errors error, long producerId, short epoch, boolean needsProducerId) {

    static final ProducerAnswer NEEDS_PRODUCER_ID = new ProducerAnswer(Errors.NONE, -1, (short) -1, true);

    static ProducerAnswer of(long producerId, short epoch) {
        return new ProducerAnswer(Errors.NONE, producerId, epoch, false);
    }

    public static ProducerAnswer refused(Errors error) {
        return new ProducerAnswer(error, -1, (short) -1, false);
    }
}
