package sim;

import common.Failure;
import common.FailureCode;
import common.Peers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import protocol.PeerDialer;
import protocol.ResponseParts;
import protocol.Transport;
import protocol.TransportListener;

/** Connections of one incarnation of a node to others, over wires of the simulated network. */
final class SimPeers implements PeerDialer {
    private final SimNetwork network;
    private final SimScheduler scheduler;
    private final SimLife life;
    private final SimRandom random;
    private final String name;
    private final Listening others;
    private final List<End> ends = new ArrayList<>();

    /** Who listens where. */
    interface Listening {
        /** Accepts; null when no process listens there. Only asked while both directions are whole. */
        SimWire accept(String from, Peers.Address to, SimWire.ClientEnd client);

        /** Whether the machine has no power: nothing says that nobody listens there. */
        default boolean dark(Peers.Address to) {
            return false;
        }
    }

    /** @param name of this node in the network; addresses have the names of nodes for hosts */
    SimPeers(SimNetwork network, SimLife life, SimRandom random, String name, Listening others) {
        this.network = network;
        this.scheduler = network.scheduler();
        this.life = life;
        this.random = random;
        this.name = name;
        this.others = others;
    }

    @Override
    public void dial(Peers.Address to, Attempt attempt) {
        long roundTrip = network.path(name, to.host()).latency()
                + network.path(to.host(), name).latency();
        if (silent(to) || roundTrip > DIAL_MILLIS * SimScheduler.MILLI) {
            late(attempt, DIAL_MILLIS * SimScheduler.MILLI);
            return;
        }
        scheduler.after(roundTrip, life, "dial", () -> {
            End end = new End();
            if (silent(to)) {
                late(attempt, DIAL_MILLIS * SimScheduler.MILLI - roundTrip);
                return;
            }
            SimWire wire = others.accept(name, to, end);
            if (wire == null) {
                attempt.failed(Failure.of(FailureCode.PEER_REFUSED, "connection refused"));
            } else {
                end.wire = wire;
                ends.add(end);
                end.listener = attempt.connected(end);
            }
        });
    }

    private boolean silent(Peers.Address to) {
        return !network.reachable(name, to.host()) || others.dark(to);
    }

    private void late(Attempt attempt, long nanos) {
        scheduler.after(
                nanos,
                life,
                "dial-late",
                () -> attempt.failed(
                        Failure.of(FailureCode.PEER_UNREACHABLE, "it did not accept the connection in time")));
    }

    /** The process has ended; with the power nobody is told. */
    void died(boolean silently) {
        for (End each : ends) {
            if (!silently) {
                each.wire.closeByClient();
            }
        }
        ends.clear();
    }

    /** The dialling end of a connection. */
    private final class End implements Transport, SimWire.ClientEnd {
        private final List<ResponseParts> written = new ArrayList<>();
        private SimWire wire;
        private TransportListener listener;
        private boolean flushPlanned;
        private boolean closed;

        @Override
        public void write(ResponseParts parts) {
            if (closed) {
                parts.release();
            } else {
                written.add(parts);
            }
        }

        @Override
        public void flush() {
            for (ResponseParts each : written) {
                wire.send(SimWire.gather(each));
            }
            written.clear();
        }

        @Override
        public void flushSoon() {
            if (!flushPlanned) {
                flushPlanned = true;
                scheduler.after(1 + random.below(20_000), life, "peer-flush", () -> {
                    flushPlanned = false;
                    if (!closed) {
                        listener.onFlush();
                    }
                });
            }
        }

        @Override
        public boolean writable() {
            return true;
        }

        @Override
        public void pause() {
            throw new UnsupportedOperationException("answers are bounded by what was asked");
        }

        @Override
        public void resume() {}

        @Override
        public void close(String reason) {
            if (!closed) {
                wire.closeByClient();
                scheduler.after(1, life, "peer-close", this::onClosed);
            }
        }

        @Override
        public SimLife life() {
            return life;
        }

        @Override
        public void onBytes(byte[] bytes) {
            if (closed || !life.alive()) {
                return;
            }
            int at = 0;
            while (at < bytes.length && !closed) {
                int length = random.chance(0.3) ? 1 + random.below(bytes.length - at) : bytes.length - at;
                listener.onBytes(network.chunks()
                        .of(ByteBuffer.allocate(length).put(bytes, at, length).array()));
                at += length;
            }
            if (!closed) {
                listener.onReadComplete();
            }
        }

        @Override
        public void onClosed() {
            if (!closed && life.alive()) {
                closed = true;
                ends.remove(this);
                written.forEach(ResponseParts::release);
                written.clear();
                listener.onClosed();
            }
        }
    }
}
