package cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;

/**
 * Producer snapshots: checksum and form, and that each says of a producer what the batches before its offset say (rule P4).
 * A producer that the log no longer tells about, or that has expired, is not compared.
 */
final class ProducerCheck implements BatchCheck {

    private static final int HEADER_BYTES = 10;
    private static final int ENTRY_BYTES = 46;
    private static final int MOST_PRODUCERS = 500_000;

    private record State(short epoch, int lastSequence, long lastOffset) {}

    private record Snapshot(Path file, long offset, Map<Long, State> states) {}

    private final Findings findings;
    private final List<Snapshot> snapshots = new ArrayList<>();
    private final Map<Long, State> replayed = new LinkedHashMap<>();
    private int next;

    ProducerCheck(List<Path> files, Findings findings) throws IOException {
        this.findings = findings;
        for (Path file : files) {
            long offset = PartitionDump.baseOffset(file);
            if (offset < 0) {
                findings.problem(file, "is not named by its offset in 20 digits");
            } else {
                snapshots.add(new Snapshot(file, offset, read(file)));
            }
        }
    }

    @Override
    public void batch(FileChannelRecordBatch batch) {
        compareUpTo(batch.baseOffset());
        if (!batch.hasProducerId()) {
            return;
        }
        if (batch.isControlBatch()) {
            // A marker may raise the epoch; what the snapshot then keeps is the coordinator's matter.
            replayed.remove(batch.producerId());
        } else if (replayed.size() < MOST_PRODUCERS || replayed.containsKey(batch.producerId())) {
            replayed.put(
                    batch.producerId(), new State(batch.producerEpoch(), batch.lastSequence(), batch.lastOffset()));
        }
    }

    void end(long nextOffset) {
        compareUpTo(nextOffset);
        while (next < snapshots.size()) {
            findings.problem(snapshots.get(next++).file(), "is of an offset past the end of the log, " + nextOffset);
        }
    }

    private void compareUpTo(long offset) {
        while (next < snapshots.size() && snapshots.get(next).offset() <= offset) {
            compare(snapshots.get(next++));
        }
    }

    private void compare(Snapshot snapshot) {
        snapshot.states().forEach((producerId, state) -> {
            State inLog = replayed.get(producerId);
            if (inLog != null && !inLog.equals(state)) {
                findings.problem(
                        snapshot.file(),
                        "says of producer " + producerId + ": epoch " + state.epoch() + ", sequence "
                                + state.lastSequence() + ", offset " + state.lastOffset() + "; the log says epoch "
                                + inLog.epoch() + ", sequence " + inLog.lastSequence() + ", offset "
                                + inLog.lastOffset());
            }
        });
    }

    private Map<Long, State> read(Path file) throws IOException {
        Map<Long, State> states = new LinkedHashMap<>();
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        if (bytes.remaining() < HEADER_BYTES) {
            findings.problem(file, "has only " + bytes.remaining() + " bytes");
            return states;
        }
        short version = bytes.getShort();
        long announced = Integer.toUnsignedLong(bytes.getInt());
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        int count = bytes.getInt();
        if (version != 1 || crc.getValue() != announced) {
            findings.problem(file, version != 1 ? "has version " + version : "fails its checksum");
            return states;
        }
        if (count < 0 || bytes.remaining() != (long) count * ENTRY_BYTES) {
            findings.problem(
                    file, "announces " + count + " producers and has " + bytes.remaining() + " bytes for them");
            return states;
        }
        for (int i = 0; i < count; i++) {
            long producerId = bytes.getLong();
            State state = new State(bytes.getShort(), bytes.getInt(), bytes.getLong());
            // Offset delta, timestamp, coordinator epoch, first offset of an open transaction.
            bytes.position(bytes.position() + 4 + 8 + 4 + 8);
            // A producer may have a row for each of its last batches; the last row is what it stands at.
            State before = states.put(producerId, state);
            if (before != null && state.lastOffset() <= before.lastOffset()) {
                findings.problem(file, "has rows of producer " + producerId + " that do not rise");
            }
        }
        return states;
    }
}
