package storage;

import java.nio.ByteBuffer;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.LongHashSet;
import records.BatchHeader;

/**
 * The batches that a log's producer states rest on: those remembered for rule P1 of each live producer, and the last marker of a producer of which nothing else is
 * left. They stay when a log is cleaned, without records if need be, so that the states that can be read from the log are the same before and after (K4, P4).
 * Apache Kafka keeps the last batch of each producer only. Immutable once filled.
 */
final class ProducerTails {

    private static final long NONE = Long.MIN_VALUE;

    private final LongHashSet lastOffsets = new LongHashSet();
    private final Long2LongHashMap markerEpochs = new Long2LongHashMap(NONE);

    void batch(long lastOffset) {
        lastOffsets.add(lastOffset);
    }

    void markerOnly(long producerId, short epoch) {
        markerEpochs.put(producerId, epoch);
    }

    /** Whether the batch must stay, as a place at least. A marker must stay whole. */
    boolean contains(ByteBuffer buffer, int at) {
        if (!BatchHeader.hasProducerId(buffer, at)) {
            return false;
        }
        if (BatchHeader.isControl(buffer, at)) {
            long epoch = markerEpochs.get(BatchHeader.producerId(buffer, at));
            return epoch == BatchHeader.producerEpoch(buffer, at);
        }
        return lastOffsets.contains(BatchHeader.lastOffset(buffer, at));
    }
}
