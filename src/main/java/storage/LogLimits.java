package storage;

/**
 * Bounds of one owner's logs in one directory.
 *
 * @param openFiles files kept open for reading and appending, those not used lately closed first; >= 2
 * @param warmBytes how much recently written or read data is taken to be in the page cache; reads beyond are touched on a worker first
 * @param reserveBytes below this much free space appends fail with DISK_FULL (rule S10)
 * @param queuedBytes most bytes waiting in the append queue of one log; more is refused with OVERLOADED
 */
public record LogLimits(int openFiles, long warmBytes, long reserveBytes, int queuedBytes) {

    public static final LogLimits DEFAULT = new LogLimits(512, 1L << 30, 64L << 20, 32 << 20);
}
