package sim;

/**
 * Unwinds a disk job whose process has just crashed. An Error, so that no handler of failures takes it for one; every further operation of the dead
 * process throws it again.
 */
public final class SimCrash extends Error {
    private static final long serialVersionUID = 1L;

    public SimCrash(String message) {
        super(message, null, false, false);
    }
}
