package sim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges a partition's content by its producers: per (producer id, epoch) sequences follow each other without gap or repeat (P2, P7), and what
 * the broker says of its producers is a function of the log (P4).
 */
final class SequenceJudge {

    /** A producer's state recomputed from batches. */
    static final class Expected {
        short epoch;
        int lastSequence;
        long lastTimestamp;
    }

    private SequenceJudge() {}

    /** @param complete the content begins where the log began: nothing was deleted */
    static Map<Long, Expected> recompute(String partition, List<PartitionLedger.Found> content, boolean complete) {
        Map<Long, Expected> states = new LinkedHashMap<>();
        for (PartitionLedger.Found found : content) {
            if (found.producerId() < 0) {
                continue;
            }
            Expected state = states.get(found.producerId());
            if (state == null) {
                if (complete && found.sequence() != 0) {
                    throw new RuleBroken(
                            "P2 sequence",
                            partition + "@" + found.offset() + " producer " + found.producerId() + " begins with "
                                    + found.sequence());
                }
                state = new Expected();
                states.put(found.producerId(), state);
            } else if (complete && found.producerEpoch() == state.epoch && found.sequence() != state.lastSequence + 1) {
                throw new RuleBroken(
                        "P7 sequences",
                        partition + "@" + found.offset() + " producer " + found.producerId() + ": " + found.sequence()
                                + " after " + state.lastSequence);
            } else if (found.producerEpoch() < state.epoch) {
                throw new RuleBroken("P3 epoch", partition + "@" + found.offset() + " epoch " + found.producerEpoch());
            }
            state.epoch = found.producerEpoch();
            state.lastSequence = found.sequence();
            state.lastTimestamp =
                    Math.max(found.batch() == found.offset() ? 0 : state.lastTimestamp, found.timestamp());
        }
        return states;
    }
}
