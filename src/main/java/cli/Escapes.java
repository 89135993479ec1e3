package cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Backslash escapes in arguments: {@code \n \t \r \0 \\ \xNN}; any other backslash stands for itself. */
final class Escapes {

    private Escapes() {}

    static byte[] bytes(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        int at = 0;
        while (at < text.length()) {
            int used = text.charAt(at) == '\\' ? escape(text, at, bytes) : 0;
            if (used == 0) {
                int codePoint = text.codePointAt(at);
                used = Character.charCount(codePoint);
                bytes.writeBytes(text.substring(at, at + used).getBytes(StandardCharsets.UTF_8));
            }
            at += used;
        }
        return bytes.toByteArray();
    }

    /** Writes the byte that the escape at {@code at} stands for; the number of characters used, 0 if it is none. */
    private static int escape(String text, int at, ByteArrayOutputStream bytes) {
        if (at + 1 >= text.length()) {
            return 0;
        }
        char letter = text.charAt(at + 1);
        if (letter == 'x' && at + 3 < text.length()) {
            int high = Character.digit(text.charAt(at + 2), 16);
            int low = Character.digit(text.charAt(at + 3), 16);
            if (high < 0 || low < 0) {
                return 0;
            }
            bytes.write(high << 4 | low);
            return 4;
        }
        int index = "ntr0\\".indexOf(letter);
        if (index < 0) {
            return 0;
        }
        bytes.write("\n\t\r\0\\".charAt(index));
        return 2;
    }
}
