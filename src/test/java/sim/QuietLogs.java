package sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Keeps the broker's log out of test classes that crash it thousands of times. */
public final class QuietLogs implements BeforeAllCallback, AfterAllCallback {
    private Level before;

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        before = root().getLevel();
        root().setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        root().setLevel(before);
    }
}
