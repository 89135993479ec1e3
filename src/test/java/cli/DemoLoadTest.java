package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** What the demo tells about acknowledgements. */
class DemoLoadTest {
    private static final long MILLI = 1_000_000;

    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private final DemoLoad load = new DemoLoad(null, "t", 1, new PrintStream(told, true, StandardCharsets.UTF_8));

    @Test
    void onlyLongPausesAreTold() {
        load.answered(5_000 * MILLI, null);
        load.answered(5_299 * MILLI, null);
        assertEquals("", told.toString(StandardCharsets.UTF_8));
        load.answered(5_999 * MILLI, null);
        assertEquals("acknowledgements paused for 700 ms\n", told.toString(StandardCharsets.UTF_8));
        assertEquals("3 record(s) acknowledged, 0 not", load.summary());
    }

    @Test
    void aFailureIsToldAndEndsNoPause() {
        load.answered(0, null);
        load.answered(200 * MILLI, new TimeoutException("too late"));
        load.answered(400 * MILLI, null);
        assertEquals(
                "a record was not acknowledged: too late\nacknowledgements paused for 400 ms\n",
                told.toString(StandardCharsets.UTF_8));
        assertEquals("2 record(s) acknowledged, 1 not", load.summary());
    }
}
