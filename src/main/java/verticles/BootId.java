package verticles;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The boot of the machine, as Linux names it. A container shares its host's page cache, and so its boot. */
final class BootId {
    /** Where the files are not on this machine's disks (a network volume that moves between hosts, say), or for tests: what stands for the boot. */
    private static final String VARIABLE = "HIGHWATER_BOOT_ID";

    private static final Path LINUX = Path.of("/proc/sys/kernel/random/boot_id");

    private BootId() {}

    /** Null when the system does not tell: then each process counts as one of another boot. */
    static String ofHost() {
        String given = System.getenv(VARIABLE);
        if (given != null && !given.isBlank()) {
            return given.trim();
        }
        try {
            return Files.readString(LINUX).trim();
        } catch (IOException e) {
            return null;
        }
    }
}
