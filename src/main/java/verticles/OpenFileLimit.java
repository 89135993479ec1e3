package verticles;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How many files and sockets the operating system lets this process have open at once. */
final class OpenFileLimit {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String NAME = "Max open files";
    /** Where the system does not say: what a JVM may open on macOS. */
    private static final int UNKNOWN = 10_240;

    private OpenFileLimit() {}

    /** The soft limit, which a JVM raises to the hard one when it starts. */
    static int ofProcess() {
        try {
            return parse(Files.readString(LIMITS));
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    /** @param limits content of /proc/self/limits: a line for each, with name, soft and hard limit */
    static int parse(String limits) {
        for (String line : limits.lines().toList()) {
            if (line.startsWith(NAME)) {
                String soft = line.substring(NAME.length()).strip().split("\\s+", 2)[0];
                if (soft.equals("unlimited")) {
                    return Integer.MAX_VALUE;
                }
                return soft.matches("[0-9]{1,18}") ? (int) Math.min(Integer.MAX_VALUE, Long.parseLong(soft)) : UNKNOWN;
            }
        }
        return UNKNOWN;
    }
}
