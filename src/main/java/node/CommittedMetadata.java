package node;

import common.Callback;
import common.Check;
import common.Failure;
import common.Timers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is committed of the metadata, as one image: the same on every node at the same version (rules R10, R11). Records come in the order of the log, from the
 * active controller's journal, or decoded as they were fetched, or, what is more than {@link #TAIL_BYTES}, read from the log again. Each new image is
 * published. Confined to the controller's owner.
 */
final class CommittedMetadata {
    private static final Logger LOG = LoggerFactory.getLogger(CommittedMetadata.class);
    private static final long RETRY_MILLIS = 1_000;

    /** Most bytes of batches that are kept decoded until they are committed. */
    static final int TAIL_BYTES = 4 << 20;

    private final MetadataReader reader;
    private final Publications publications;
    private final Timers timers;
    private final Runnable onAdvance;
    private final Deque<MetadataBatch> tail = new ArrayDeque<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private MetadataImage image;
    private long target;
    private long bytes;
    private int tailBytes;
    private boolean reading;
    private boolean closed;
    private int generation;

    private record Waiting(long offset, Runnable then) {}

    /**
     * @param image what a snapshot says, or nothing
     * @param onAdvance runs after each change of the image
     */
    CommittedMetadata(
            MetadataImage image, MetadataReader reader, Publications publications, Timers timers, Runnable onAdvance) {
        this.image = image;
        this.reader = reader;
        this.publications = publications;
        this.timers = timers;
        this.onAdvance = onAdvance;
    }

    MetadataImage image() {
        return image;
    }

    /** Bytes of batches that were committed since the process began. */
    long bytes() {
        return bytes;
    }

    /** Runs {@code then} once the record at {@code offset} is in the image; now if so. */
    void whenCommitted(long offset, Runnable then) {
        if (image.version() > offset) {
            then.run();
        } else {
            waiting.add(new Waiting(offset, then));
        }
    }

    /** Clients are told of this active controller; -1: none is known. */
    void controllerIs(int nodeId) {
        if (nodeId != image.controllerId()) {
            set(image.withController(nodeId), (applied, failure) -> {});
        }
    }

    /** The log has these batches now, committed or not; they are kept as far as there is room. */
    void appended(List<MetadataBatch> batches) {
        for (MetadataBatch each : batches) {
            long end = tail.isEmpty() ? image.version() : tail.peekLast().nextOffset();
            if (each.baseOffset() == end && tailBytes + each.sizeInBytes() <= TAIL_BYTES) {
                tail.addLast(each);
                tailBytes += each.sizeInBytes();
            }
        }
    }

    /** The log was cut to {@code end}; nothing that is committed was. */
    void truncated(long end) {
        while (!tail.isEmpty() && tail.peekLast().nextOffset() > end) {
            tailBytes -= tail.removeLast().sizeInBytes();
        }
    }

    /** The log begins again with a snapshot; this is its content. */
    void installed(MetadataImage snapshot) {
        generation++;
        reading = false;
        tail.clear();
        tailBytes = 0;
        target = Math.max(target, snapshot.version());
        set(snapshot.withController(image.controllerId()), (applied, failure) -> {});
        apply();
    }

    /** The log is committed up to {@code highWatermark}, and this node has the records only in its log. */
    void advance(long highWatermark) {
        target = Math.max(target, highWatermark);
        apply();
    }

    /** The journal of the active controller has made this image, and now it is committed. */
    void advance(MetadataImage next, long size, Callback<Void> applied) {
        target = Math.max(target, next.version());
        bytes += size;
        set(next, applied);
    }

    /** The log is committed up to {@code highWatermark}, and has nothing up to there that is not in the image. */
    void skip(long highWatermark) {
        target = Math.max(target, highWatermark);
        if (highWatermark > image.version()) {
            set(new MetadataDelta(image).image(highWatermark), (applied, failure) -> {});
        }
    }

    /** Whether all that is committed, for all that is known, is in the image. */
    boolean isCurrent() {
        return image.version() >= target;
    }

    void close() {
        closed = true;
        generation++;
    }

    private void set(MetadataImage next, Callback<Void> applied) {
        image = next;
        publications.publish(next, applied);
        List<Waiting> due =
                waiting.stream().filter(each -> each.offset < next.version()).toList();
        waiting.removeAll(due);
        due.forEach(each -> each.then.run());
        onAdvance.run();
    }

    private void apply() {
        if (reading || closed || isCurrent()) {
            return;
        }
        List<MetadataBatch> due = new ArrayList<>();
        while (!tail.isEmpty() && tail.peekFirst().nextOffset() <= target) {
            MetadataBatch next = tail.removeFirst();
            tailBytes -= next.sizeInBytes();
            due.add(next);
        }
        if (due.isEmpty() || !apply(due)) {
            read();
        }
    }

    /** Those that come next and are committed; false: none of them. */
    private boolean apply(List<MetadataBatch> batches) {
        MetadataDelta delta = new MetadataDelta(image);
        long end = image.version();
        for (MetadataBatch each : batches) {
            if (each.baseOffset() == end && each.nextOffset() <= target) {
                long offset = end;
                for (int i = 0; i < each.records().size(); i++) {
                    delta.apply(each.records().get(i), offset++);
                }
                end = each.nextOffset();
                bytes += each.sizeInBytes();
            }
        }
        if (end == image.version()) {
            return false;
        }
        set(delta.image(end), (applied, failure) -> {});
        apply();
        return true;
    }

    private void read() {
        reading = true;
        int asked = generation;
        reader.batches(image.version(), (batches, failure) -> {
            if (asked != generation) {
                return;
            }
            reading = false;
            if (failure != null) {
                retry(failure, asked);
            } else {
                boolean applied = apply(batches);
                Check.invariant(applied, "a batch is committed in part (R7)", image.version(), target);
            }
        });
    }

    private void retry(Failure failure, int asked) {
        LOG.error(
                "the metadata log cannot be read at offset {}, what was committed behind it is not known here yet: {}",
                image.version(),
                failure.message());
        reading = true;
        timers.after(RETRY_MILLIS, () -> {
            if (asked == generation) {
                reading = false;
                apply();
            }
        });
    }
}
