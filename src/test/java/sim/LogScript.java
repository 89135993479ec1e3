package sim;

import common.Callback;
import common.Mutations;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.record.internal.CompressionType;
import storage.AppendResult;
import storage.DiskExecutor.Lane;
import storage.LogDirectory;

/**
 * A history of one log that goes through everything that writes: appends alone and in groups, rolls, snapshots, checkpoints, deletion of a prefix,
 * retention, truncation, a clean stop and the start after it, and the deletion of the topic. Ends with {@link SimCrash} where the disk's faults say.
 */
final class LogScript {
    private final boolean durable;
    private final boolean eager;
    private final Mutations mutations;
    private final String[] settings;
    private final int[] sequences = new int[3];
    LogLab lab;

    /**
     * @param eager checkpoints after each append: the recovery point meets every state of a segment
     * @param settings more of them for the log, keys and values in pairs
     */
    LogScript(
            SimHost host,
            boolean durable,
            boolean eager,
            Mutations mutations,
            CompressionType compression,
            String... settings) {
        this.durable = durable;
        this.eager = eager;
        this.mutations = mutations;
        this.settings = settings;
        this.lab = new LogLab(host, new LogModel(), SimLogConfig.tiny(durable, settings), 60, compression);
    }

    void run() {
        lab.open(mutations);
        beginEpoch(1);
        append(1, 2);
        together();
        for (int i = 0; i < 4; i++) {
            append(1 + i % 2, 2);
        }
        checkpoint();
        append(-1, 1);
        lab.host.<Void>await(done -> lab.log.flush(done));
        checkpoint();
        together();
        deletePrefix();
        retention();
        append(1, 3);
        truncation();
        append(2, 1);
        cleanStopAndStart();
        together();
        append(1, 2);
        deletion();
    }

    private void beginEpoch(int epoch) {
        lab.host.<Void>await(done -> lab.log.beginEpoch(epoch, done));
    }

    private void append(int producer, int records) {
        Callback<AppendResult> nothing = (result, failure) -> {};
        LogModel.Batch batch = start(producer, records, nothing);
        lab.host.<Boolean>await(done -> waitFor(List.of(batch), done));
        lab.observe();
        lab.log.advanceHighWatermark(durable ? lab.log.durableEndOffset() : lab.log.logEndOffset());
        if (eager) {
            checkpoint();
        }
    }

    private LogModel.Batch start(int producer, int records, Callback<AppendResult> done) {
        int sequence = 0;
        if (producer >= 0) {
            sequence = sequences[producer];
            sequences[producer] += records;
        }
        return lab.append(producer, sequence, records, Math.max(1, lab.log.latestEpoch()), done);
    }

    /** Several appends before the first is answered. */
    private void together() {
        List<LogModel.Batch> batches = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            batches.add(start(i % 3 == 0 ? -1 : i % 3, 1 + i % 2, (result, failure) -> {}));
        }
        lab.host.<Boolean>await(done -> waitFor(batches, done));
        lab.observe();
        lab.log.advanceHighWatermark(durable ? lab.log.durableEndOffset() : lab.log.logEndOffset());
    }

    private void waitFor(List<LogModel.Batch> batches, Callback<Boolean> done) {
        if (batches.stream().allMatch(batch -> batch.acked)) {
            done.succeed(true);
        } else {
            lab.host.ports().timers().after(1, () -> waitFor(batches, done));
        }
    }

    private void checkpoint() {
        lab.host.<Void>await(lab::checkpoint);
    }

    private void deletePrefix() {
        long offset = lab.log.highWatermark() / 2;
        lab.model.logStartWanted = offset;
        long start = lab.host.<Long>await(done -> lab.log.deleteBefore(offset, done));
        if (start != offset) {
            throw new RuleBroken("I12 log start", "asked " + offset + ", got " + start);
        }
        lab.model.logStart = offset;
        lab.host.runFor(1_500);
        alive();
    }

    private void retention() {
        String[] fewBytes = Arrays.copyOf(settings, settings.length + 2);
        fewBytes[settings.length] = "retention.bytes";
        fewBytes[settings.length + 1] = "1000";
        lab.log.updateConfig(SimLogConfig.tiny(durable, fewBytes));
        for (int i = 0; i < 3; i++) {
            lab.log.housekeep(lab.host.clock().wallMillis());
            lab.host.runFor(1_500);
            alive();
            lab.observe();
        }
        lab.log.updateConfig(SimLogConfig.tiny(durable, settings));
    }

    private void truncation() {
        List<LogModel.Batch> batches = lab.model.batches;
        LogModel.Batch from = batches.get(batches.size() - 5);
        lab.model.truncatingTo = from.base;
        checkpoint();
        lab.host.<Void>await(done -> lab.log.truncateTo(from.base, done));
        lab.model.truncated(from.base);
        lab.model.truncatingTo = -1;
        for (int producer = 1; producer <= 2; producer++) {
            sequences[producer] = 0;
            for (LogModel.Batch batch : batches) {
                if (batch.producerId == producer) {
                    sequences[producer] = batch.sequence + batch.records;
                }
            }
        }
        beginEpoch(2);
    }

    private void cleanStopAndStart() {
        lab.host.<Void>await(done -> lab.log.close(done));
        lab.observe();
        checkpoint();
        lab.model.cleanPossible = true;
        lab.host.<Void>await(done -> lab.host.executor().run(Lane.BLOCKING, LogDirectory.markClean(-1), done));
        lab = lab.on(lab.host.kill());
        lab.open(mutations);
        if (!lab.opened.cleanStop()) {
            throw new RuleBroken("S6 clean mark", "a clean stop left no mark");
        }
        beginEpoch(3);
    }

    private void deletion() {
        lab.model.deleting = true;
        lab.host.<Void>await(done -> lab.log.delete(done));
        lab.host.runFor(3_000);
        alive();
    }

    private void alive() {
        if (!lab.host.life().alive()) {
            throw new SimCrash("the process crashed meanwhile");
        }
    }
}
