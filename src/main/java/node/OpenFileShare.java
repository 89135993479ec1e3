package node;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many segment files one loop keeps open in one log directory. A value.
 *
 * @param ofOwner of each loop in each directory
 * @param all that were to be shared
 * @param owners loops times directories
 */
record OpenFileShare(int ofOwner, int all, int owners) {

    private static final Logger LOG = LoggerFactory.getLogger(OpenFileShare.class);
    /** Of the files that the process may open, what segments may take; the others are sockets, and files that jobs need for a moment. */
    private static final int PART_OF_PROCESS = 2;

    private static final int MOST = 16_384;
    /** With fewer an owner could not write to one segment and read another. */
    private static final int LEAST_OF_OWNER = 2;

    /**
     * The share.
     *
     * @param configured log.max.open.files; below 1: half of what the process may open
     * @param processLimit files that the process may have open
     */
    static OpenFileShare of(int configured, int processLimit, int loops, int directories) {
        int all = configured > 0 ? configured : Math.min(MOST, processLimit / PART_OF_PROCESS);
        int owners = loops * directories;
        return new OpenFileShare(Math.max(LEAST_OF_OWNER, all / owners), all, owners);
    }

    /** More may be open than was asked for. */
    boolean raised() {
        return all / owners < LEAST_OF_OWNER;
    }

    /** For a start. */
    void warnIfRaised() {
        if (raised()) {
            LOG.warn(
                    "Segment files may take {} open files, fewer than {} for each event loop in each log directory ({} of them): up to {} are kept open."
                            + " Raise log.max.open.files, or the process's limit of open files.",
                    all,
                    LEAST_OF_OWNER,
                    owners,
                    LEAST_OF_OWNER * owners);
        }
    }
}
