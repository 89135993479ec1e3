package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OpenFileLimitTest {
    private static final String OTHERS = """
            Limit                     Soft Limit           Hard Limit           Units
            Max cpu time              unlimited            unlimited            seconds
            """;

    @Test
    void theSoftLimit() {
        assertEquals(
                1024, OpenFileLimit.parse(OTHERS + "Max open files            1024                 524288  files\n"));
        assertEquals(
                Integer.MAX_VALUE,
                OpenFileLimit.parse(OTHERS + "Max open files            unlimited   unlimited files\n"));
        // Usual in containers.
        assertEquals(1_073_741_816, OpenFileLimit.parse("Max open files  1073741816  1073741816  files\n"));
        assertEquals(Integer.MAX_VALUE, OpenFileLimit.parse("Max open files  99999999999  99999999999  files\n"));
    }

    @Test
    void strangeContentGivesTheDefault() {
        for (String odd :
                new String[] {"", OTHERS, "Max open files", "Max open files x", "Max open files 1234567890123456789 1"
                }) {
            assertEquals(10_240, OpenFileLimit.parse(odd), odd);
        }
    }

    @Test
    void thisProcessMayOpenSome() {
        assertTrue(OpenFileLimit.ofProcess() > 16);
    }
}
