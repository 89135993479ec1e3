package storage;

import java.io.IOException;

/**
 * Blocking work against one log directory. Gets only immutable input (or input handed over to it for its duration), returns a value; never touches a
 * machine's state.
 */
@FunctionalInterface
public interface DiskJob<T> {
    T run(FileSystem files) throws IOException;
}
