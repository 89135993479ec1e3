package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files written with Kafka's own record classes: sound ones pass, each kind of damage is named.
 *
 * <p>The partition has two segments of three batches with two records each: offsets 0-5 and 6-11.
 */
class DumpCommandTest {

    private static final long PRODUCER = 7;
    private static final long FIRST_MILLIS = 1_000_000;
    private static final String FIRST = "00000000000000000000";
    private static final String SECOND = "00000000000000000006";

    @TempDir
    private Path root;

    private final Screen screen = new Screen();
    private Path partition;
    private int[] positions;

    @BeforeEach
    void writePartition() throws IOException {
        partition = Files.createDirectory(root.resolve("orders-0"));
        writeSegment(FIRST, 0);
        positions = writeSegment(SECOND, 6);
        writeSnapshot(SECOND, 5, 5);
        Files.writeString(partition.resolve("leader-epoch-checkpoint"), "0\n2\n0 0\n1 6\n");
        Files.writeString(partition.resolve("partition.metadata"), "version: 0\ntopic_id: hsC6FIDnSUyz98gDmSf0AA\n");
    }

    @Test
    void soundFilesPass() {
        assertEquals(HighwaterCli.OK, dump(), screen.out());
        assertTrue(screen.out().contains("offsets 0 to 11, 2 segment(s), 6 batch(es), 12 record(s)"), screen.out());
        assertTrue(screen.out().contains("1 partition(s), no problem"), screen.out());
        assertEquals(HighwaterCli.OK, screen.run("", "dump", partition.toString()), "a partition's own directory");
        assertEquals(HighwaterCli.OK, screen.run("", "dump", "--batches", partition.toString()));
        assertTrue(screen.out().contains("offsets 6-7 position 0 "), screen.out());
    }

    @Test
    void flippedBitIsFoundWithItsOffsets() throws IOException {
        flip(FIRST + ".log", 80);
        assertProblem("offsets 0 to 1");
        assertTrue(screen.out().contains("6 batch(es)"), "the rest is read all the same\n" + screen.out());
    }

    @Test
    void tornTailOfTheNewestSegmentIsANote() throws IOException {
        append(SECOND + ".log", new byte[] {1, 2, 3});
        assertEquals(HighwaterCli.OK, dump(), screen.out());
        assertTrue(screen.out().contains("3 byte(s) after its last whole batch"), screen.out());
    }

    @Test
    void tornTailOfAClosedSegmentIsAProblem() throws IOException {
        append(FIRST + ".log", new byte[] {1, 2, 3});
        assertProblem("3 byte(s) after its last whole batch");
    }

    @Test
    void missingIndexIsANote() throws IOException {
        Files.delete(partition.resolve(FIRST + ".index"));
        assertEquals(HighwaterCli.OK, dump(), screen.out());
        assertTrue(screen.out().contains(FIRST + ".index is missing"), screen.out());
    }

    @Test
    void wrongIndexEntriesAreFound() throws IOException {
        writeIndex(SECOND, 3, positions[1] + 1);
        assertProblem("points into a batch");
        writeIndex(SECOND, 4, positions[1]);
        assertProblem("whose last offset is 9");
        writeIndex(SECOND, 3, positions[1] + 100_000);
        assertProblem("past the end of the log");
    }

    @Test
    void zerosMadeReadyForWritingAreNoEntries() throws IOException {
        append(SECOND + ".index", new byte[80]);
        append(SECOND + ".timeindex", new byte[120]);
        assertEquals(HighwaterCli.OK, dump(), screen.out());
    }

    @Test
    void wrongTimeIndexIsFound() throws IOException {
        writeTimeIndex(SECOND, FIRST_MILLIS + 1, 3);
        assertProblem(SECOND + ".timeindex entry 0 says " + (FIRST_MILLIS + 1));
        writeTimeIndex(SECOND, FIRST_MILLIS + 9, 60);
        assertProblem("past the end of the log");
    }

    @Test
    void staleSnapshotIsFound() throws IOException {
        writeSnapshot(SECOND, 3, 3);
        assertProblem("the log says epoch 0, sequence 5, offset 5");
    }

    @Test
    void damagedSnapshotIsFound() throws IOException {
        flip(SECOND + ".snapshot", 12);
        assertProblem("fails its checksum");
    }

    @Test
    void snapshotPastTheEndIsFound() throws IOException {
        writeSnapshot("00000000000000000013", 11, 11);
        assertProblem("past the end of the log");
    }

    @Test
    void wrongEpochsAreFound() throws IOException {
        Files.writeString(partition.resolve("leader-epoch-checkpoint"), "0\n2\n0 0\n1 8\n");
        assertProblem("says epoch 0 for offset 6, whose batch has epoch 1");
        Files.writeString(partition.resolve("leader-epoch-checkpoint"), "0\n3\n0 0\n");
        assertProblem("is not of the form");
    }

    @Test
    void overlappingSegmentsAreFound() throws IOException {
        Files.move(partition.resolve(SECOND + ".log"), partition.resolve("00000000000000000004.log"));
        assertProblem("but the segment before goes on to 5");
    }

    @Test
    void nothingToDumpIsTold() throws IOException {
        assertEquals(
                HighwaterCli.FAILED,
                screen.run(
                        "", "dump", Files.createDirectory(root.resolve("empty")).toString()));
        assertTrue(screen.err().contains("no partition in"), screen.err());
    }

    private int dump() {
        return screen.run("", "dump", root.toString());
    }

    private void assertProblem(String text) {
        assertEquals(HighwaterCli.FAILED, dump(), screen.out());
        assertTrue(
                screen.out().lines().anyMatch(line -> line.contains("PROBLEM") && line.contains(text)), screen.out());
    }

    /** Three batches from offset {@code base} with an entry in both indexes for the second; the batches' positions. */
    private int[] writeSegment(String name, long base) throws IOException {
        int epoch = base == 0 ? 0 : 1;
        int[] starts = new int[3];
        ByteBuffer log = ByteBuffer.allocate(10_000);
        for (int i = 0; i < 3; i++) {
            starts[i] = log.position();
            long offset = base + 2L * i;
            MemoryRecordsBuilder builder = new MemoryRecordsBuilder(
                    ByteBuffer.allocate(1_000).slice(),
                    RecordBatch.CURRENT_MAGIC_VALUE,
                    i == 1 ? Compression.gzip().build() : Compression.NONE,
                    TimestampType.CREATE_TIME,
                    offset,
                    RecordBatch.NO_TIMESTAMP,
                    PRODUCER,
                    (short) 0,
                    (int) offset,
                    false,
                    false,
                    epoch,
                    1_000);
            for (int j = 0; j < 2; j++) {
                builder.append(FIRST_MILLIS + offset + j, null, ("value " + j).getBytes(StandardCharsets.UTF_8));
            }
            MemoryRecords batch = builder.build();
            log.put(batch.buffer());
        }
        byte[] bytes = new byte[log.flip().remaining()];
        log.get(bytes);
        Files.write(partition.resolve(name + ".log"), bytes);
        writeIndex(name, 3, starts[1]);
        writeTimeIndex(name, FIRST_MILLIS + base + 3, 3);
        return starts;
    }

    private void writeIndex(String name, int relativeOffset, int position) throws IOException {
        Files.write(
                partition.resolve(name + ".index"),
                ByteBuffer.allocate(8).putInt(relativeOffset).putInt(position).array());
    }

    private void writeTimeIndex(String name, long millis, int relativeOffset) throws IOException {
        Files.write(
                partition.resolve(name + ".timeindex"),
                ByteBuffer.allocate(12).putLong(millis).putInt(relativeOffset).array());
    }

    private void writeSnapshot(String name, int sequence, long offset) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(4 + 46);
        content.putInt(1).putLong(PRODUCER).putShort((short) 0).putInt(sequence).putLong(offset);
        content.putInt(1).putLong(FIRST_MILLIS).putInt(-1).putLong(-1).flip();
        CRC32C crc = new CRC32C();
        crc.update(content.duplicate());
        ByteBuffer file = ByteBuffer.allocate(2 + 4 + content.remaining());
        file.putShort((short) 1).putInt((int) crc.getValue()).put(content);
        Files.write(partition.resolve(name + ".snapshot"), file.array());
    }

    private void flip(String file, int position) throws IOException {
        byte[] bytes = Files.readAllBytes(partition.resolve(file));
        bytes[position] = (byte) (bytes[position] ^ 1);
        Files.write(partition.resolve(file), bytes);
    }

    private void append(String file, byte[] bytes) throws IOException {
        Files.write(partition.resolve(file), bytes, StandardOpenOption.APPEND);
    }
}
