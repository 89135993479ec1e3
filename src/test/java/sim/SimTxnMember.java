package sim;

import java.util.List;

/** Which input partitions a job's process has, and as whom it commits offsets of them. */
interface SimTxnMember {
    /** @param sessionMillis 0: alone, without a group's protocol */
    record Spec(String group, String topic, int partitions, int sessionMillis, int rebalanceMillis) {
        boolean alone() {
            return sessionMillis == 0;
        }
    }

    void start();

    /** As by kill -9: its group does not hear of it. */
    void stop();

    /** To its group's coordinator. */
    SimCoordination coordination();

    /** It has its partitions, as far as it knows. */
    boolean stable();

    List<Integer> partitions();

    /** When it changes, others may have had the partitions since. */
    SimTxnClient.Member identity();
}
