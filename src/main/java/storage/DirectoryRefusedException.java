package storage;

import java.io.IOException;

/** A log directory that this node must not touch: in use, of another cluster or node, of a newer version, or not ours (rules S5, S12). */
public final class DirectoryRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    public DirectoryRefusedException(String message) {
        super(message);
    }
}
