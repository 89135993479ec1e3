package replication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import sim.SimHost;
import storage.ReadBound;

/** What ends the waits of replicas and of consumers. */
class FetchWaitersTest {
    private final SimHost host = new SimHost(3);
    private final FetchWaiters waiters = new FetchWaiters();
    private int ended;

    private WaitingFetch waiting(ReadBound bound) {
        WaitingFetch fetch = new WaitingFetch(List.of(), bound, 1, () -> ended++);
        waiters.add(fetch);
        fetch.start(host.ports().timers(), 500);
        return fetch;
    }

    private void passes(long millis) {
        host.runFor(millis);
    }

    @Test
    void aReplicaIsWokenByRecordsAtOnce() {
        waiting(ReadBound.LOG_END);
        waiters.written(1);
        assertEquals(1, ended);
    }

    @Test
    void aReplicaLearnsANewHighWatermarkSoonButNotAtOnce() {
        waiting(ReadBound.LOG_END);
        waiters.committed(0, false);
        waiters.committed(100, true);
        assertEquals(0, ended, "the next records may tell it");
        passes(30);
        assertEquals(1, ended);
        passes(1_000);
        assertEquals(1, ended, "it ends once");
    }

    @Test
    void recordsTellTheHighWatermarkToo() {
        waiting(ReadBound.LOG_END);
        waiters.committed(100, true);
        waiters.written(1);
        assertEquals(1, ended);
        passes(1_000);
        assertEquals(1, ended, "it ends once");
    }

    @Test
    void consumersWaitForCommittedRecords() {
        waiting(ReadBound.HIGH_WATERMARK);
        waiting(ReadBound.LAST_STABLE_OFFSET);
        waiters.written(100);
        waiters.committed(0, false);
        passes(30);
        assertEquals(0, ended);
        waiters.committed(100, false);
        assertEquals(1, ended);
        waiters.committed(100, true);
        assertEquals(2, ended);
    }
}
