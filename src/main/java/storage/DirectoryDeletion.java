package storage;

import common.Callback;
import common.FailureCode;
import common.RandomSource;
import java.io.IOException;

/** Deletes a partition's directory, Kafka's way: renamed at once, so that the name is free; its files are unlinked later. */
final class DirectoryDeletion {

    static final String DELETE_SUFFIX = "-delete";
    static final String STRAY_SUFFIX = "-stray";
    private static final int MAX_NAME = 255;

    private DirectoryDeletion() {}

    static void run(LogState log, Callback<Void> done) {
        String from = log.identity.directory();
        String suffix = randomHex(log.context.ports().random());
        String to = asideName(from, suffix, DELETE_SUFFIX);
        log.context.siblings().gone(log.identity);
        long delay = log.config.fileDeleteDelayMillis();
        DiskJob<Void> rename = files -> {
            rename(files, log.identity, suffix);
            return null;
        };
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, rename, (none, failure) -> {
            if (failure == null) {
                log.context
                        .ports()
                        .timers()
                        .after(
                                delay,
                                () -> log.context
                                        .disk()
                                        .run(
                                                DiskExecutor.Lane.BLOCKING,
                                                files -> unlink(files, to),
                                                (nothing, failed) -> {
                                                    if (failed != null && failed.code() == FailureCode.SYNC_FAILED) {
                                                        log.context.goOffline(failed);
                                                    }
                                                }));
            }
            done.done(null, failure);
        });
    }

    /** Also after an earlier attempt failed: by then the directory may be gone, and the name another topic's (rule C7). */
    static void rename(FileSystem files, LogIdentity log, String suffix) throws IOException {
        if (files.isDirectory(log.directory()) && PartitionFiles.otherTopic(files, log) == null) {
            files.rename(log.directory(), asideName(log.directory(), suffix, DELETE_SUFFIX));
        }
    }

    private static Void unlink(FileSystem files, String directory) throws IOException {
        if (files.isDirectory(directory)) {
            // Else a power cut may bring the old name back with some of its files gone.
            files.syncDirectory("");
            for (String name : files.list(directory)) {
                files.delete(directory + '/' + name);
            }
            files.delete(directory);
        }
        return null;
    }

    /** {@code <topic>-<partition>.<32 hex digits><suffix>}, the front cut so that the whole is a legal file name. */
    static String asideName(String directory, String hex, String suffix) {
        String tail = "." + hex + suffix;
        return directory.substring(0, Math.min(directory.length(), MAX_NAME - tail.length())) + tail;
    }

    static String randomHex(RandomSource random) {
        return hex(random.nextLong()) + hex(random.nextLong());
    }

    private static String hex(long value) {
        String digits = Long.toHexString(value);
        return "0".repeat(16 - digits.length()) + digits;
    }
}
