package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import sim.SimRandom;

final class OffsetMapTest {

    /** The published vectors of SipHash-2-4 with 128 bits: key 00 01 .. 0f, input 00 01 .. */
    @Test
    void theHashIsSipHash() {
        KeyHash hash = new KeyHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
        byte[] input = new byte[64];
        for (int i = 0; i < input.length; i++) {
            input[i] = (byte) i;
        }
        assertEquals("a3817f04ba25a8e66df67214c7550293", hex(hash, input, 0, 0));
        assertEquals("da87c1d86b99af44347659119b22fc45", hex(hash, input, 0, 1));
        assertEquals("8177228da4a45dc7fca38bdef60affe4", hex(hash, input, 0, 2));
        assertEquals("5150d1772f50834a503e069a973fbd7c", hex(hash, input, 0, 63));
        byte[] shifted = new byte[70];
        System.arraycopy(input, 0, shifted, 3, input.length);
        assertEquals("5150d1772f50834a503e069a973fbd7c", hex(hash, shifted, 3, 63));
    }

    private static String hex(KeyHash hash, byte[] bytes, int at, int length) {
        hash.of(bytes, at, length);
        return String.format("%016x%016x", Long.reverseBytes(hash.high()), Long.reverseBytes(hash.low()));
    }

    @Test
    void likeAMapUntilItIsFull() {
        for (long seed = 0; seed < 20; seed++) {
            SimRandom random = new SimRandom(seed);
            OffsetMap map = new OffsetMap(new KeyHash(seed, 1), 24L * (10 + random.below(20_000)), 0.9);
            Map<String, Long> model = new LinkedHashMap<>();
            boolean full = false;
            for (long offset = 0; offset < 30_000 && !full; offset++) {
                String key = "key" + random.below(20_000);
                full = !put(map, key, offset);
                if (!full) {
                    model.put(key, offset);
                }
            }
            assertEquals(model.size(), map.size(), "seed " + seed);
            if (full) {
                assertEquals(map.capacity(), map.size(), "seed " + seed);
            }
            for (int i = 0; i < 20_000; i++) {
                String key = "key" + i;
                byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
                assertEquals(model.getOrDefault(key, -1L), map.get(bytes, 0, bytes.length), "seed " + seed);
            }
        }
    }

    @Test
    void aFullMapTakesNewOffsetsOfOldKeys() {
        OffsetMap map = new OffsetMap(new KeyHash(1, 2), 24 * 4, 0.9);
        assertTrue(put(map, "a", 0));
        assertTrue(put(map, "b", 1));
        assertTrue(put(map, "c", 2));
        assertFalse(put(map, "d", 3));
        assertTrue(put(map, "a", 4));
        assertEquals(4, map.get(new byte[] {'a'}, 0, 1));
        assertEquals(-1, map.get(new byte[] {'d'}, 0, 1));
    }

    @Test
    void keysOfAllLengthsDiffer() {
        KeyHash hash = new KeyHash(5, 6);
        Set<String> seen = new LinkedHashSet<>();
        byte[] zeroes = new byte[300];
        for (int length = 0; length <= 300; length++) {
            assertTrue(seen.add(hex(hash, zeroes, 0, length)), "length " + length);
        }
    }

    private static boolean put(OffsetMap map, String key, long offset) {
        byte[] bytes = ("##" + key).getBytes(StandardCharsets.UTF_8);
        return map.put(bytes, 2, bytes.length - 2, offset);
    }
}
