package raft;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A record of the modelled log.
 *
 * @param value of a client's record; 0 of a LeaderChange or voters record
 * @param voters of a voters record; else null
 */
record Entry(int epoch, long value, VoterSet voters) {

    static Entry leaderChange(int epoch) {
        return new Entry(epoch, 0, null);
    }

    /** A number that stands for all that is in it. */
    long hash() {
        return mix(mix(epoch * 31L + value) + (voters == null ? 0 : voters.hashCode()));
    }

    static long mix(long value) {
        long z = (value + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    static ByteBuffer encode(long offset, List<Entry> entries) {
        ByteBuffer out = ByteBuffer.allocate(64 + entries.size() * 256);
        out.putLong(offset).putInt(entries.size());
        for (Entry each : entries) {
            out.putInt(each.epoch).putLong(each.value);
            put(out, each.voters);
        }
        return out.flip();
    }

    static List<Entry> decode(ByteBuffer from, long expectedOffset) {
        ByteBuffer in = from.duplicate();
        if (in.getLong() != expectedOffset) {
            throw new IllegalStateException("records of another offset than the log's end");
        }
        List<Entry> entries = new ArrayList<>();
        int count = in.getInt();
        for (int i = 0; i < count; i++) {
            entries.add(new Entry(in.getInt(), in.getLong(), voters(in)));
        }
        return entries;
    }

    static void put(ByteBuffer out, VoterSet voters) {
        out.putInt(voters == null ? -1 : voters.size());
        if (voters != null) {
            for (VoterSet.Voter each : voters.voters()) {
                out.putInt(each.key().id())
                        .putLong(each.key().directoryMost())
                        .putLong(each.key().directoryLeast())
                        .putInt(
                                each.endpoints().isEmpty()
                                        ? 0
                                        : each.endpoints().get(0).port());
            }
        }
    }

    static VoterSet voters(ByteBuffer in) {
        int count = in.getInt();
        if (count < 0) {
            return null;
        }
        List<VoterSet.Voter> voters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ReplicaKey key = new ReplicaKey(in.getInt(), in.getLong(), in.getLong());
            voters.add(new VoterSet.Voter(key, endpoints(in.getInt())));
        }
        return new VoterSet(voters);
    }

    static List<Endpoint> endpoints(int port) {
        return port == 0 ? List.of() : List.of(new Endpoint("CONTROLLER", "host", port));
    }
}
