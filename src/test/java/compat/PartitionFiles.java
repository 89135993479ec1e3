package compat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;

/** The files of one partition, as they lie in a broker's log directory. */
final class PartitionFiles {
    /** Where a batch's attributes are (record batch v2, from the batch's first byte). */
    private static final int ATTRIBUTES = 21;

    private static final int CODEC_MASK = 7;

    private final Path data;
    private final TopicPartition partition;

    PartitionFiles(TestBroker broker, TopicPartition partition) {
        this.data = broker.data();
        this.partition = partition;
    }

    /** Sorted; those that end with {@code suffix}. */
    List<Path> ending(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(data.resolve(partition.toString()))) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    int segments() throws IOException {
        return ending(".log").size();
    }

    long bytesOfSegments() throws IOException {
        long bytes = 0;
        for (Path file : ending(".log")) {
            bytes += Files.size(file);
        }
        return bytes;
    }

    /** Codec number of the batch at the start of the first segment. */
    int codecOfFirstBatch() throws IOException {
        byte[] log = Files.readAllBytes(ending(".log").get(0));
        return ByteBuffer.wrap(log).getShort(ATTRIBUTES) & CODEC_MASK;
    }

    /** The partition's line in a checkpoint file; -1 when it has none. */
    long checkpointed(String file) throws IOException {
        Path path = data.resolve(file);
        if (!Files.exists(path)) {
            return -1;
        }
        String start = partition.topic() + " " + partition.partition() + " ";
        return Files.readAllLines(path).stream()
                .filter(line -> line.startsWith(start))
                .mapToLong(line -> Long.parseLong(line.substring(start.length())))
                .findFirst()
                .orElse(-1);
    }
}
