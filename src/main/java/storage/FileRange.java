package storage;

/**
 * Bytes of a segment file that a response sends: a value, not the bytes. The holder of a range owns one reference of {@code file} and must call
 * {@link #release} exactly once, on any thread.
 *
 * @param position first byte in the file
 * @param length number of bytes, > 0; may end inside a batch
 */
public record FileRange(FileHandle file, long position, int length) {

    public void release() {
        file.release();
    }
}
