package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import common.Mutations;
import java.util.List;
import org.apache.kafka.common.record.internal.CompressionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;
import sim.LogModel.Batch;
import storage.AppendResult;
import storage.DiskExecutor.Lane;
import storage.LogDirectory;

/** Directed faults of the disk under one log. */
@ExtendWith(QuietLogs.class)
class LogFaultTest {
    private LogLab lab =
            open(new LogLab(new SimHost(11), new LogModel(), SimLogConfig.tiny(true), 20, CompressionType.NONE));

    private static LogLab open(LogLab lab) {
        lab.open(Mutations.NONE);
        return lab;
    }

    private AppendResult append(int producer, int sequence) {
        return lab.host.<AppendResult>await(done -> lab.append(producer, sequence, 1, 0, done));
    }

    private Failure refused(int producer, int sequence) {
        return lab.host.<AppendResult>awaitFailure(done -> lab.append(producer, sequence, 1, 0, done));
    }

    private void killAndOpen() {
        lab = open(lab.on(lab.host.kill()));
    }

    @Test
    void theFirstBatchOfAProducerIsNotOvertakenWhenTheDiskWasFull() {
        append(-1, 0);
        lab.host.disk().capacity(lab.host.disk().usedBytes() + 10);
        assertEquals(FailureCode.DISK_FULL, refused(1, 0).code());
        assertEquals(FailureCode.DISK_FULL, refused(1, 1).code());
        lab.host.disk().unbounded();
        lab.host.runFor(10_000);
        lab.log.housekeep(lab.host.clock().wallMillis());
        lab.host.runFor(1_000);
        assertEquals(FailureCode.OUT_OF_ORDER_SEQUENCE, refused(1, 1).code());
        assertEquals(1, append(1, 0).baseOffset());
        assertEquals(2, append(1, 1).baseOffset());
    }

    @Test
    void theFirstBatchOfAProducerIsNotOvertakenWhenItsWriteFailed() {
        append(-1, 0);
        lab.host.disk().faults(DiskFaults.nth(Operation.WRITE, ".log", 1, Fault.ERROR));
        assertEquals(FailureCode.STORAGE_ERROR, refused(1, 0).code());
        assertEquals(FailureCode.OUT_OF_ORDER_SEQUENCE, refused(1, 1).code());
        assertEquals(1, append(1, 0).baseOffset());
        assertEquals(2, append(1, 1).baseOffset());
    }

    @Test
    void aFailedSyncTakesTheDirectoryOfflineAndNothingMoreIsAcked() {
        append(-1, 0);
        long durable = lab.log.durableEndOffset();
        lab.host.disk().faults(DiskFaults.nth(Operation.SYNC, ".log", 1, Fault.ERROR));
        assertEquals(FailureCode.SYNC_FAILED, refused(1, 0).code());
        assertNotNull(lab.offline);
        assertEquals(FailureCode.STORAGE_ERROR, refused(1, 0).code());
        assertEquals(durable, lab.log.durableEndOffset());
        // Rule S6: no clean stop after that.
        assertEquals(
                FailureCode.STORAGE_ERROR,
                lab.host.<Void>awaitFailure(done -> lab.log.close(done)).code());
        killAndOpen();
        assertEquals(durable, lab.log.logEndOffset());
    }

    @Test
    void rotIsNotCutAndIsFoundAgainAtEveryStart() {
        for (int i = 0; i < 20; i++) {
            append(1, i);
        }
        String path = lab.host.disk().tree().stream()
                .filter(line -> line.contains(".log "))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .toList()
                .get(1);
        lab.host.disk().rot(path, 61 + 10, 3);
        killAndOpen();
        for (int restart = 0; restart < 4; restart++) {
            assertNotNull(lab.log.damage(), "restart " + restart);
            assertEquals(20, lab.log.logEndOffset());
            List<Batch> read = lab.readAll();
            assertEquals(19, read.size());
            assertTrue(append(1, 19).duplicate());
            if (restart % 2 == 0) {
                closeClean();
            } else {
                killAndOpen();
            }
        }
    }

    @Test
    void rotAtTheEndIsNotATornTail() {
        for (int i = 0; i < 10; i++) {
            append(1, i);
        }
        lab.host.<Void>await(lab::checkpoint);
        List<String> files = lab.host.disk().tree().stream()
                .filter(line -> line.contains(".log "))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .toList();
        String last = files.get(files.size() - 1);
        lab.host.disk().rot(last, lab.host.disk().content(last).length - 100, 0);
        for (int restart = 0; restart < 3; restart++) {
            killAndOpen();
            assertEquals(10, lab.log.logEndOffset(), "an offset once given is not given again, restart " + restart);
        }
        assertEquals(10, append(-1, 0).baseOffset());
    }

    @Test
    void aStartAfterAKillReadsOnlyWhatLiesPastTheRecoveryPoint() {
        for (int i = 0; i < 200; i++) {
            append(1, i);
        }
        lab.host.runFor(1_000);
        lab.host.<Void>await(lab::checkpoint);
        append(1, 200);
        long all = lab.host.disk().usedBytes();
        long before = lab.host.disk().bytesRead();
        killAndOpen();
        long read = lab.host.disk().bytesRead() - before;
        assertEquals(201, lab.log.logEndOffset());
        assertTrue(read < all / 4, read + " bytes read of " + all);
    }

    private void closeClean() {
        lab.host.<Void>await(done -> lab.log.close(done));
        lab.host.<Void>await(lab::checkpoint);
        lab.model.cleanPossible = true;
        lab.host.<Void>await(done -> lab.host.executor().run(Lane.BLOCKING, LogDirectory.markClean(-1), done));
        killAndOpen();
        assertTrue(lab.opened.cleanStop());
    }

    @Test
    void aKillLosesNothingAndLeavesNoCleanMark() {
        append(1, 0);
        killAndOpen();
        assertFalse(lab.opened.cleanStop());
        assertNull(lab.log.damage());
        assertEquals(1, lab.log.logEndOffset());
    }
}
