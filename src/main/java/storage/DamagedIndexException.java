package storage;

import java.io.IOException;

/** A transaction index that cannot be believed: what it says is not guessed (rule T8). A start rebuilds it from the log. */
final class DamagedIndexException extends IOException {

    private static final long serialVersionUID = 1L;

    DamagedIndexException(String problem) {
        super(problem + ". The index of aborted transactions is rebuilt at the next start of the broker");
    }
}
