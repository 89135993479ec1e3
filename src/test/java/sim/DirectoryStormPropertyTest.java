package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import common.PartitionId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produced;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;

/**
 * A node with three log directories over many starts, between which they break, are mended, emptied, change places, and have partitions moved from one to another by
 * hand; beside a model that knows which directory holds which partition, and what of it (rules I11, C3, S3, S12).
 */
@ExtendWith(QuietLogs.class)
class DirectoryStormPropertyTest {
    private static final int RUNS = 150;
    private static final int STARTS = 8;
    private static final DiskFaults UNREADABLE =
            (operation, path, number) -> operation == Operation.READ ? Fault.ERROR : Fault.NONE;
    private static final DiskFaults SYNCS_FAIL =
            (operation, path, number) -> operation == Operation.SYNC ? Fault.ERROR : Fault.NONE;

    private SimRandom random;
    private NodeBench node;
    private int metadata;
    private final List<Held> all = new ArrayList<>();
    /** They cannot be read in this life of the node. */
    private final List<SimDisk> broken = new ArrayList<>();

    private int names;
    private String where;
    private int lostEver;
    private int unservedEver;

    /** A partition as it should be. */
    private static final class Held {
        final String topic;
        final PartitionId id;
        SimDisk disk;
        long records;
        /** One more record may be there: its acknowledgement failed. */
        boolean perhapsOneMore;

        int epoch;
        boolean recovering;
        boolean served = true;

        Held(String topic, PartitionId id) {
            this.topic = topic;
            this.id = id;
        }
    }

    @Test
    void directoriesBreakAndGoAndNothingElseIsLost() {
        for (long seed = 1; seed <= RUNS; seed++) {
            run(seed);
        }
        assertTrue(lostEver > RUNS && unservedEver > RUNS, lostEver + " lost, " + unservedEver + " not served");
    }

    private void run(long seed) {
        random = new SimRandom(seed);
        metadata = random.below(3);
        node = new NodeBench(seed, 3, "metadata.log.dir", "disk" + metadata).start();
        all.clear();
        broken.clear();
        for (int start = 0; start < STARTS; start++) {
            where = "seed " + seed + ", start " + start;
            live();
            boolean clean = end();
            List<SimDisk> before = List.copyOf(broken);
            whileItIsDown(start == STARTS - 2);
            node.start();
            check(clean && before.isEmpty() && broken.isEmpty());
        }
        assertNull(node.stop(), where);
    }

    private void live() {
        for (int step = random.between(3, 12); step > 0; step--) {
            switch (random.below(8)) {
                case 0, 1 -> create();
                case 2 -> delete();
                default -> produce();
            }
        }
        if (random.chance(0.2)) {
            syncsFail();
        }
    }

    private void create() {
        String name = "t" + names++;
        int partitions = random.between(1, 4);
        Uuid topic = node.create(name, partitions, "flush.messages", "1");
        for (int i = 0; i < partitions; i++) {
            Held made = new Held(name, new PartitionId(topic, i));
            made.disk = diskOf(made);
            assertTrue(made.disk != null && !broken.contains(made.disk), "put into a directory that works: " + where);
            all.add(made);
        }
    }

    private void delete() {
        if (!all.isEmpty()) {
            String name = all.get(random.below(all.size())).topic;
            assertEquals(Errors.NONE, node.delete(name), where);
            all.removeIf(each -> each.topic.equals(name));
        }
    }

    private void produce() {
        if (all.isEmpty()) {
            return;
        }
        Held to = all.get(random.below(all.size()));
        Outcome<Produced> outcome = node.tryProduce(to.id, "v");
        assertEquals(to.served ? null : FailureCode.STORAGE_ERROR, codeOf(outcome.failure()), where);
        if (to.served) {
            assertEquals(to.records, outcome.value().append().baseOffset(), where);
            to.records++;
        }
    }

    private static FailureCode codeOf(Failure failure) {
        return failure == null ? null : failure.code();
    }

    /** A directory goes offline while the node runs, and what lies in it is served no more. */
    private void syncsFail() {
        SimDisk disk = node.disks.get((metadata + 1) % 3);
        List<Held> there =
                all.stream().filter(each -> each.served && each.disk == disk).toList();
        if (there.isEmpty()) {
            return;
        }
        disk.faults(SYNCS_FAIL);
        Held one = there.get(random.below(there.size()));
        assertTrue(node.tryProduce(one.id, "v").failure() != null, where);
        one.perhapsOneMore = true;
        broken.add(disk);
        there.forEach(each -> each.served = false);
        node.runFor(1_000);
        create();
        for (Held each : all) {
            assertEquals(
                    each.served ? null : FailureCode.STORAGE_ERROR,
                    codeOf(node.tryEnd(each.id).failure()),
                    where);
        }
    }

    /** True: cleanly. */
    private boolean end() {
        int how = random.below(3);
        if (how == 0) {
            Failure failure = node.stop();
            if (failure == null) {
                return true;
            }
            assertTrue(!broken.isEmpty(), where + failure);
            node.kill();
        } else if (how == 1) {
            node.kill();
        } else {
            node.powerCut();
        }
        return false;
    }

    private void whileItIsDown(boolean last) {
        node.disks.forEach(each -> each.faults(DiskFaults.NONE));
        broken.clear();
        int first = (metadata + 1) % 3;
        int second = (metadata + 2) % 3;
        if (random.chance(0.3)) {
            SimDisk disk = node.disks.get(first);
            node.disks.set(first, node.disks.get(second));
            node.disks.set(second, disk);
        }
        if (random.chance(0.25)) {
            node.disks.set(first, new SimDisk(random.split("new disk " + where)));
        }
        if (!last && random.chance(0.35)) {
            broken.add(node.disks.get(random.chance(0.5) ? first : second));
            broken.get(0).faults(UNREADABLE);
        }
        if (random.chance(0.3)) {
            move();
        }
    }

    /** A partition's files, from one directory that works to another: what is moved to where it is lost at once nobody can know of. */
    private void move() {
        List<Held> files = all.stream()
                .filter(each -> each.records > 0 && node.disks.contains(each.disk) && !broken.contains(each.disk))
                .toList();
        if (files.isEmpty()) {
            return;
        }
        Held moved = files.get(random.below(files.size()));
        SimDisk to = node.disks.get(random.below(3));
        if (to != moved.disk && !broken.contains(to) && isFormatted(to)) {
            moved.disk.move(moved.topic + '-' + moved.id.partition(), to);
            moved.disk = to;
        }
    }

    private static boolean isFormatted(SimDisk disk) {
        return disk.tree().stream().anyMatch(each -> each.startsWith("meta.properties"));
    }

    private void check(boolean nothingAtRisk) {
        for (Held each : all) {
            boolean there = node.disks.contains(each.disk);
            each.served = there ? !broken.contains(each.disk) : broken.isEmpty();
            Outcome<storage.TimestampOffset> end = node.tryEnd(each.id);
            assertEquals(each.served ? null : FailureCode.STORAGE_ERROR, codeOf(end.failure()), where);
            if (!each.served) {
                unservedEver++;
                continue;
            }
            int epoch = end.value().leaderEpoch();
            if (there) {
                long more = end.value().offset() - each.records;
                assertTrue(more == 0 || (more == 1 && each.perhapsOneMore), where + ": " + more + " more records");
                each.records += more;
                assertTrue(epoch >= each.epoch, where);
            } else {
                lostEver++;
                assertEquals(0, end.value().offset(), where);
                assertTrue(epoch > each.epoch, "no offset under an old epoch: " + where);
                each.records = 0;
            }
            boolean recovering = node.recovering(each.id);
            if (nothingAtRisk && there) {
                assertTrue(!recovering || each.recovering, "nothing can be lost: " + where);
            }
            each.recovering = recovering;
            each.perhapsOneMore = false;
            each.epoch = epoch;
            each.disk = diskOf(each);
            assertTrue(each.disk != null, "the metadata names a directory that is there: " + where);
        }
    }

    /** The disk whose directory the metadata names; null for none. */
    private SimDisk diskOf(Held held) {
        Uuid named = node.image()
                .topic(held.topic)
                .partitions()
                .get(held.id.partition())
                .directory(1);
        for (SimDisk each : node.disks) {
            String meta = isFormatted(each) ? new String(each.content("meta.properties"), StandardCharsets.UTF_8) : "";
            if (meta.contains("directory.id=" + named)) {
                return each;
            }
        }
        return null;
    }
}
