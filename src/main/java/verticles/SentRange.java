package verticles;

import io.netty.channel.DefaultFileRegion;
import storage.FileRange;

/** A range of a file on its way to a socket by sendfile: gives its reference back at the end and leaves the file open for others. */
final class SentRange extends DefaultFileRegion {
    private final FileRange range;

    /** Takes over the range's reference. */
    SentRange(FileRange range) {
        super(((RealFileHandle) range.file()).channel(), range.position(), range.length());
        this.range = range;
    }

    @Override
    protected void deallocate() {
        range.release();
    }
}
