package verticles;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import storage.DiskFullException;

/** Tells a full disk from other I/O errors, and adds which file it was. */
final class IoFailures {

    private IoFailures() {}

    /** The exception to throw for {@code e} met while doing {@code what} to {@code path}. */
    static IOException named(String what, String path, IOException e) {
        if (e instanceof DiskFullException
                || e instanceof NoSuchFileException
                || e instanceof FileAlreadyExistsException
                || e instanceof DirectoryNotEmptyException) {
            return e;
        }
        if (isDiskFull(e)) {
            return new DiskFullException("no space left on the disk to " + what + " " + path);
        }
        return new IOException("cannot " + what + " " + path + ": " + e, e);
    }

    /** The JDK has no type for ENOSPC and EDQUOT, only the system's text. */
    private static boolean isDiskFull(IOException e) {
        String message = e.getMessage();
        if (message == null) {
            return false;
        }
        String text = message.toLowerCase(Locale.ROOT);
        return text.contains("no space left") || text.contains("quota exceeded") || text.contains("not enough space");
    }
}
