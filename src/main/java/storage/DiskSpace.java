package storage;

import common.Clock;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether there is room to append (rule S10): below the reserve, appends are refused while reads, deletes and retention go on, so that checkpoints and
 * metadata can still be written. Asks the file system in the background, now and then: after so many bytes, and once a second while full. One per
 * {@link LogContext}.
 */
final class DiskSpace {

    private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);
    private static final long RECHECK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int CHECKS_PER_RESERVE = 8;

    private static final long FOUND_FULL = -1;

    private final DiskExecutor disk;
    private final Clock clock;
    private final long reserveBytes;
    private long bytesUntilCheck;
    private long lastCheckNanos;
    private boolean checking;
    private boolean full;

    DiskSpace(DiskExecutor disk, Clock clock, long reserveBytes) {
        this.disk = disk;
        this.clock = clock;
        this.reserveBytes = reserveBytes;
    }

    /** Room for another append? Cheap: a flag, and from time to time a job. */
    boolean isFull(int bytes) {
        bytesUntilCheck -= bytes;
        boolean due = full
                ? clock.monotonicNanos() - lastCheckNanos >= RECHECK_NANOS
                : bytesUntilCheck < 0 && reserveBytes > 0;
        if (due && !checking) {
            check();
        }
        return full;
    }

    /** A write met ENOSPC. */
    void foundFull() {
        lastCheckNanos = clock.monotonicNanos();
        become(true, FOUND_FULL);
    }

    /** Part of housekeeping, so that a full disk is left without an append having to fail first. */
    void recheckIfFull() {
        isFull(0);
    }

    private void check() {
        checking = true;
        lastCheckNanos = clock.monotonicNanos();
        disk.run(DiskExecutor.Lane.BLOCKING, FileSystem::usableBytes, (usable, failure) -> {
            checking = false;
            bytesUntilCheck = reserveBytes / CHECKS_PER_RESERVE;
            if (failure == null) {
                become(usable <= reserveBytes, usable);
            }
        });
    }

    private void become(boolean nowFull, long usable) {
        if (nowFull != full) {
            full = nowFull;
            if (full && usable == FOUND_FULL) {
                LOG.warn("Disk full: a write did not fit. Appends to this log directory's logs are refused until space"
                        + " returns; in the one of the metadata, changes of topics and settings too. Free space or lower"
                        + " retention.");
            } else if (full) {
                LOG.warn(
                        "Disk nearly full ({} bytes left, reserve {}): appends are refused until space returns. Free space or lower retention.",
                        usable,
                        reserveBytes);
            } else {
                LOG.info("Disk space is back ({} bytes usable): appends are accepted again.", usable);
            }
        }
    }
}
