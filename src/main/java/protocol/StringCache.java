package protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Turns the same short ASCII names (topics, client ids) that come with every request into the same String objects, without garbage. Fixed size, direct
 * mapped: a collision only costs a new String. One per server instance.
 */
final class StringCache {
    private static final int SLOTS = 1024;
    private static final int MAX_LENGTH = 249;

    private final String[] slots = new String[SLOTS];

    /** The string in {@code length} bytes of {@code source} at its position, which moves behind it. The caller has checked the bounds. */
    String read(ByteBuffer source, int length) {
        if (length == 0) {
            return "";
        }
        if (length > MAX_LENGTH) {
            return decode(source, length);
        }
        int start = source.position();
        int hash = length;
        for (int at = start; at < start + length; at++) {
            hash = hash * 31 + source.get(at);
        }
        int slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
        String known = slots[slot];
        if (known != null && matches(known, source, start, length)) {
            source.position(start + length);
            return known;
        }
        String text = decode(source, length);
        if (text.length() == length) {
            slots[slot] = text;
        }
        return text;
    }

    private static boolean matches(String known, ByteBuffer source, int start, int length) {
        if (known.length() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (known.charAt(i) != source.get(start + i)) {
                return false;
            }
        }
        return true;
    }

    private static String decode(ByteBuffer source, int length) {
        byte[] bytes = new byte[length];
        source.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
