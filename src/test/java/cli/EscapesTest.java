package cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EscapesTest {

    @Test
    void escapesBecomeBytes() {
        assertArrayEquals(new byte[] {'\n', '\t', '\r', 0, '\\', 'a'}, Escapes.bytes("\\n\\t\\r\\0\\\\a"));
        assertArrayEquals(new byte[] {(byte) 0xff, 0x0a, 'Z'}, Escapes.bytes("\\xff\\x0AZ"));
    }

    @Test
    void otherTextStandsForItself() {
        for (String text : new String[] {"", "plain", "\\", "\\q", "\\x", "\\xg0", "\\x1", "ü\uD83D\uDE00"}) {
            assertArrayEquals(text.getBytes(StandardCharsets.UTF_8), Escapes.bytes(text), text);
        }
    }
}
