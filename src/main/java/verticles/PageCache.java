package verticles;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much of the files that are read and written the operating system can be expected to keep in memory. */
final class PageCache {
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final long UNKNOWN_BYTES = 1L << 30;

    private PageCache() {}

    /** Half of the machine's memory: the rest is for processes, this one among them. */
    static long guessBytes() {
        try {
            return guessBytes(Files.readString(MEMORY));
        } catch (IOException e) {
            return UNKNOWN_BYTES;
        }
    }

    /** @param meminfo content of /proc/meminfo */
    static long guessBytes(String meminfo) {
        for (String line : meminfo.lines().toList()) {
            if (line.startsWith("MemTotal:")) {
                String kib = line.replaceAll("[^0-9]", "");
                return kib.isEmpty() || kib.length() > 15 ? UNKNOWN_BYTES : Long.parseLong(kib) * 1024 / 2;
            }
        }
        return UNKNOWN_BYTES;
    }
}
