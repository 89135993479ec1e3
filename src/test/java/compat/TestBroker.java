package compat;

import java.nio.file.Path;

/** A running broker that tests talk to over its socket and whose files they may look at. */
interface TestBroker extends AutoCloseable {

    int port();

    /** The log directory, absolute. */
    Path data();

    default String bootstrap() {
        return "127.0.0.1:" + port();
    }

    @Override
    void close() throws java.io.IOException;
}
