package protocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import storage.FileRange;

/** A transport that keeps what is sent; the test plays the event loop. */
final class RecordingTransport implements Transport {
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private final List<ResponseParts> written = new ArrayList<>();
    private int taken;
    private int flushes;
    private boolean writable = true;
    private boolean paused;
    private boolean flushAsked;
    private String closed;

    @Override
    public void write(ResponseParts parts) {
        written.add(parts);
    }

    @Override
    public void flush() {
        flushes++;
        for (ResponseParts parts : written) {
            for (int i = 0; i < parts.count(); i++) {
                send(parts, i);
                parts.releasePart(i);
            }
        }
        written.clear();
    }

    private void send(ResponseParts parts, int index) {
        FileRange range = parts.range(index);
        ByteBuffer bytes;
        if (range == null) {
            bytes = parts.bytes(index).duplicate();
        } else {
            bytes = ByteBuffer.allocate(range.length());
            try {
                range.file().read(bytes, range.position());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            bytes.flip();
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        sent.writeBytes(copy);
    }

    @Override
    public void flushSoon() {
        if (flushAsked) {
            throw new AssertionError("flushSoon before the former was answered");
        }
        flushAsked = true;
    }

    @Override
    public boolean writable() {
        return writable;
    }

    @Override
    public void pause() {
        paused = true;
    }

    @Override
    public void resume() {
        paused = false;
    }

    @Override
    public void close(String reason) {
        closed = closed == null ? reason : closed;
    }

    void setWritable(boolean now) {
        writable = now;
    }

    boolean paused() {
        return paused;
    }

    /** null while open. */
    String closed() {
        return closed;
    }

    int flushes() {
        return flushes;
    }

    /** True once per asked flush. */
    boolean takeFlush() {
        boolean asked = flushAsked;
        flushAsked = false;
        return asked;
    }

    /** The bodies (without length) of the whole frames sent since the last call. */
    List<ByteBuffer> frames() {
        ByteBuffer all = ByteBuffer.wrap(sent.toByteArray());
        all.position(taken);
        List<ByteBuffer> frames = new ArrayList<>();
        while (all.remaining() >= 4) {
            int size = all.getInt(all.position());
            if (all.remaining() < 4 + size) {
                break;
            }
            frames.add(all.slice(all.position() + 4, size));
            all.position(all.position() + 4 + size);
        }
        taken = all.position();
        if (all.hasRemaining()) {
            throw new AssertionError(all.remaining() + " bytes of half a response");
        }
        return frames;
    }
}
