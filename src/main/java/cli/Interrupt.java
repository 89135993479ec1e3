package cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ctrl-C or SIGTERM while a command runs: the command is woken, ends its work, and the process ends with code 0, as one
 * expects of a tail that was meant to be stopped.
 */
final class Interrupt implements AutoCloseable {

    private static final long GRACE_SECONDS = 5;

    private final AtomicBoolean happened = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook;

    /** From now on an interrupt runs {@code wake} (on a thread of the JVM's shutdown) and waits for {@link #close}. */
    Interrupt(Runnable wake) {
        hook = new Thread(() -> shutDown(wake), "interrupt");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    boolean happened() {
        return happened.get();
    }

    private void shutDown(Runnable wake) {
        happened.set(true);
        wake.run();
        try {
            boolean inTime = ended.await(GRACE_SECONDS, TimeUnit.SECONDS);
            Runtime.getRuntime().halt(inTime ? HighwaterCli.OK : HighwaterCli.FAILED);
        } catch (InterruptedException impatient) {
            Runtime.getRuntime().halt(HighwaterCli.FAILED);
        }
    }

    @Override
    public void close() {
        ended.countDown();
        if (!happened.get()) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException alreadyShuttingDown) {
                // The hook runs and needs nothing more from here.
                happened.set(true);
            }
        }
    }
}
