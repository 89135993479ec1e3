package crash;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Clients complain of every lost connection, as they should; where brokers are killed all the time nobody wants to read it. */
final class QuietClients implements BeforeAllCallback, AfterAllCallback {
    private static Logger clients() {
        return (Logger) LoggerFactory.getLogger("org.apache.kafka.clients");
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        clients().setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        clients().setLevel(null);
    }
}
