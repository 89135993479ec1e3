package sim;

import org.apache.kafka.common.protocol.ApiKeys;

/** Versions of the requests of one transactional producer; those from which on the second protocol is spoken are KIP-890's. */
final class SimTxnVersions {
    final short init;
    final short add;
    final short produce;
    final short addOffsets;
    final short offsets;
    final short end;

    SimTxnVersions(SimRandom random, boolean second) {
        init = between(random, second ? 4 : 3, ApiKeys.INIT_PRODUCER_ID.latestVersion(false));
        add = between(random, 0, 3);
        // From 13 on topics are named by their ids, and offsets from 6 on.
        produce = second ? (short) 12 : between(random, 3, 11);
        addOffsets = between(random, 0, 4);
        offsets = second ? (short) 5 : between(random, 3, 4);
        end = second ? (short) 5 : between(random, 0, 4);
    }

    private static short between(SimRandom random, int low, int high) {
        return (short) random.between(low, high);
    }
}
