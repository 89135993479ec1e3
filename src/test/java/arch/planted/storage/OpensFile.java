package arch.planted.storage;

import arch.Breaks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

@Breaks("R6")
final class OpensFile {
    byte[] read(String path) throws IOException {
        return Files.readAllBytes(Path.of(path));
    }
}
