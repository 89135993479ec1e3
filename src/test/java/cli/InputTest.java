package cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What makes records of lines, and words into settings. */
class InputTest {

    private static final long SEED = 20261130;

    @Test
    void linesEndAtLineEndsOnly() throws IOException {
        assertEquals(List.of("a", "", "b\r", "c"), lines("a\n\nb\r\nc", 100));
        assertEquals(List.of("a"), lines("a\n", 100));
        assertEquals(List.of(), lines("", 100));
        assertEquals(List.of(""), lines("\n", 100));
    }

    /** However the input arrives in pieces, the lines are the same. */
    @Test
    void piecesDoNotMatter() throws IOException {
        Random random = new Random(SEED);
        for (int round = 0; round < 50; round++) {
            List<String> expected = new ArrayList<>();
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(20); i > 0; i--) {
                String line = "x".repeat(random.nextInt(3) == 0 ? random.nextInt(100_000) : random.nextInt(5));
                expected.add(line);
                text.append(line).append('\n');
            }
            InputStream pieces = new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8)) {
                @Override
                public synchronized int read(byte[] target, int offset, int length) {
                    return super.read(target, offset, Math.min(length, 1 + random.nextInt(40_000)));
                }
            };
            LineReader reader = new LineReader(pieces, 200_000);
            for (String line : expected) {
                assertEquals(line, new String(reader.next(), StandardCharsets.UTF_8), "seed " + SEED);
            }
            assertNull(reader.next(), "seed " + SEED);
        }
    }

    @Test
    void longLinesAreRefused() {
        assertThrows(CliFailure.class, () -> lines("x".repeat(101), 100));
    }

    @Test
    void keysAreSplitOff() {
        LineParser parser = new LineParser(bytes("::"), null, bytes("NUL"));
        assertArrayEquals(bytes("k"), parser.parse(bytes("k::v::w")).key());
        assertArrayEquals(bytes("v::w"), parser.parse(bytes("k::v::w")).value());
        assertNull(parser.parse(bytes("no key")).key());
        assertArrayEquals(bytes("no key"), parser.parse(bytes("no key")).value());
        assertArrayEquals(bytes(""), parser.parse(bytes("::v")).key());
        assertNull(parser.parse(bytes("k::NUL")).value());
    }

    @Test
    void fixedKeyIsForLinesWithoutOne() {
        LineParser parser = new LineParser(bytes(":"), bytes("fixed"), null);
        assertArrayEquals(bytes("fixed"), parser.parse(bytes("plain")).key());
        assertArrayEquals(bytes("own"), parser.parse(bytes("own:v")).key());
    }

    @Test
    void settingsMayHoldEqualsSigns() {
        assertEquals(Map.of("a", "b=c", "d", ""), KeyValues.parse(List.of("a=b=c", "d="), "setting"));
        assertThrows(CliFailure.class, () -> KeyValues.parse(List.of("novalue"), "setting"));
        assertThrows(CliFailure.class, () -> KeyValues.parse(List.of("=value"), "setting"));
    }

    @Test
    void partitionLists() {
        assertEquals(new TreeSet<>(List.of(0, 2, 4, 5, 6)), PartitionList.parse("4-6, 0,2"));
        for (String wrong : List.of("", "a", "3-1", "-1", "0-", "1,,2", "0-2000000000")) {
            assertThrows(CliFailure.class, () -> PartitionList.parse(wrong), wrong);
        }
    }

    private static List<String> lines(String text, int max) throws IOException {
        LineReader reader = new LineReader(new ByteArrayInputStream(bytes(text)), max);
        List<String> lines = new ArrayList<>();
        byte[] line;
        while ((line = reader.next()) != null) {
            lines.add(new String(line, StandardCharsets.UTF_8));
        }
        return lines;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
