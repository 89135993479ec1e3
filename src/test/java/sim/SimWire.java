package sim;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Function;
import protocol.Connection;
import protocol.ResponseParts;
import protocol.Transport;
import storage.FileRange;

/**
 * One TCP connection between a simulated client, or another node, and the real server code. Bytes of a direction stay in order and arrive in pieces of any size. It can be
 * killed at any byte of either direction.
 */
final class SimWire implements Transport {
    private static final int WRITABLE_BELOW = 64 * 1024;

    /** What a client sees of a connection. */
    interface ClientEnd {
        void onBytes(byte[] bytes);

        /** No more bytes will come. */
        void onClosed();

        /** The process that it belongs to; null: the world itself. */
        default SimLife life() {
            return null;
        }
    }

    /** Names of both ends. */
    record Ends(String client, String server) {}

    private final SimScheduler scheduler;
    private final SimLife server;
    private final SimRandom random;
    private final SimChunks chunks;
    private final String from;
    private final SimStream up;
    private final SimStream down;
    private final ClientEnd client;
    private final ArrayDeque<byte[]> held = new ArrayDeque<>();
    private final ArrayDeque<ResponseParts> written = new ArrayDeque<>();
    private Connection connection;
    private long upLeft = Long.MAX_VALUE;
    private long downLeft = Long.MAX_VALUE;
    private long unsent;
    private int flushed;
    private boolean flushPlanned;
    private boolean paused;
    private boolean draining;
    private boolean closing;
    private boolean serverClosed;
    private boolean clientClosed;

    /**
     * @param ends names of the client and of the server in the network
     * @param server the process that accepts
     */
    SimWire(SimNetwork network, Ends ends, SimLife server, SimRandom random, ClientEnd client) {
        this.scheduler = network.scheduler();
        this.chunks = network.chunks();
        this.server = server;
        this.random = random;
        this.from = ends.client;
        this.up = network.stream(ends.client, ends.server);
        this.down = network.stream(ends.server, ends.client);
        this.client = client;
    }

    /** The server accepts. */
    void accept(Function<Transport, Connection> server) {
        connection = server.apply(this);
        planTick();
    }

    /** The connection dies once so many more bytes have gone up or down. */
    void killAfter(long up, long down) {
        upLeft = up;
        downLeft = down;
    }

    SimLife server() {
        return server;
    }

    /** The client's end in the network. */
    String client() {
        return from;
    }

    boolean open() {
        return !serverClosed && !clientClosed;
    }

    // ---- the client's side

    void send(byte[] bytes) {
        int at = 0;
        while (at < bytes.length && !clientClosed) {
            int length = random.chance(0.3) ? 1 + random.below(bytes.length - at) : bytes.length - at;
            byte[] piece = new byte[length];
            System.arraycopy(bytes, at, piece, 0, length);
            at += length;
            up.send(server, "up", () -> arrive(piece));
        }
    }

    void closeByClient() {
        if (!clientClosed) {
            clientClosed = true;
            up.send(server, "client-closed", this::drop);
        }
    }

    /** The server's process is gone: the client learns of it, sooner or (silently) not at all. */
    void serverDied(boolean silently) {
        serverClosed = true;
        if (!silently) {
            tellClientClosed();
        }
    }

    // ---- the server's side

    private void arrive(byte[] piece) {
        if (serverClosed) {
            return;
        }
        if (paused || !held.isEmpty()) {
            held.add(piece);
            return;
        }
        deliver(piece);
    }

    private void deliver(byte[] piece) {
        byte[] bytes = piece;
        if (bytes.length > upLeft) {
            bytes = java.util.Arrays.copyOf(piece, (int) upLeft);
        }
        upLeft -= piece.length;
        if (bytes.length > 0) {
            connection.onBytes(chunks.of(bytes));
            if (!serverClosed) {
                connection.onReadComplete();
            }
        }
        if (upLeft < 0 && !serverClosed) {
            scheduler.note("wire-killed-up", bytes.length);
            drop();
        }
    }

    private void planTick() {
        scheduler.after(1_000 * SimScheduler.MILLI, server, "wire-tick", () -> {
            if (!serverClosed) {
                connection.onTick();
                planTick();
            }
        });
    }

    /** The end of the connection at the server. */
    private void drop() {
        if (!serverClosed) {
            serverClosed = true;
            while (!written.isEmpty()) {
                written.poll().release();
            }
            held.clear();
            connection.onClosed();
            tellClientClosed();
        }
    }

    private void tellClientClosed() {
        down.send(client.life(), "closed", () -> {
            if (!clientClosed) {
                clientClosed = true;
                client.onClosed();
            }
        });
    }

    @Override
    public void write(ResponseParts parts) {
        if (serverClosed) {
            parts.release();
            return;
        }
        unsent += parts.size();
        written.add(parts);
    }

    @Override
    public void flush() {
        flushed = written.size();
        if (!draining && flushed > 0) {
            draining = true;
            scheduler.after(1 + random.below(20_000), server, "drain", this::drain);
        }
    }

    private void drain() {
        draining = false;
        boolean full = !writable();
        while (flushed > 0 && !serverClosed) {
            flushed--;
            ResponseParts parts = written.poll();
            unsent -= parts.size();
            byte[] bytes = gather(parts);
            sendDown(bytes);
        }
        if (closing && written.isEmpty()) {
            drop();
        } else if (full && !serverClosed) {
            connection.onWritable();
        }
    }

    static byte[] gather(ResponseParts parts) {
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(parts.size()));
        for (int i = 0; i < parts.count(); i++) {
            FileRange range = parts.range(i);
            if (range == null) {
                all.put(parts.bytes(i));
            } else {
                readRange(range, all);
            }
            parts.releasePart(i);
        }
        if (all.hasRemaining()) {
            throw new RuleBroken("V5 whole answers", all.remaining() + " bytes of an answer are missing");
        }
        return all.array();
    }

    private static void readRange(FileRange range, ByteBuffer all) {
        int end = all.position() + range.length();
        ByteBuffer target = all.duplicate();
        target.limit(end);
        try {
            int got = range.file().read(target, range.position());
            if (got != range.length()) {
                throw new RuleBroken(
                        "V5 whole answers", range.file().path() + " gave " + got + " of " + range.length());
            }
        } catch (IOException e) {
            throw new RuleBroken("V5 whole answers", range.file().path() + ": " + e);
        }
        all.position(end);
    }

    private void sendDown(byte[] bytes) {
        byte[] sent = bytes.length > downLeft ? java.util.Arrays.copyOf(bytes, (int) downLeft) : bytes;
        downLeft -= bytes.length;
        down.send(client.life(), "down", () -> {
            if (!clientClosed) {
                client.onBytes(sent);
            }
        });
        if (downLeft < 0) {
            scheduler.note("wire-killed-down", sent.length);
            drop();
        }
    }

    @Override
    public void flushSoon() {
        if (!flushPlanned) {
            flushPlanned = true;
            scheduler.after(1, server, "flush-soon", () -> {
                flushPlanned = false;
                if (!serverClosed) {
                    connection.onFlush();
                }
            });
        }
    }

    @Override
    public boolean writable() {
        return unsent < WRITABLE_BELOW;
    }

    @Override
    public void pause() {
        paused = true;
    }

    @Override
    public void resume() {
        if (paused) {
            paused = false;
            scheduler.after(1, server, "resume", this::deliverHeld);
        }
    }

    private void deliverHeld() {
        while (!paused && !serverClosed && !held.isEmpty()) {
            deliver(held.poll());
        }
    }

    @Override
    public void close(String reason) {
        if (!closing && !serverClosed) {
            closing = true;
            flushed = written.size();
            if (written.isEmpty()) {
                scheduler.after(1, server, "close", this::drop);
            } else {
                flush();
            }
        }
    }
}
