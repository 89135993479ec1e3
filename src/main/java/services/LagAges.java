package services;

import common.Callback;
import common.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import replication.ReplicaShard.OffsetQuery;
import replication.ReplicaShard.Outcome;
import storage.TimestampOffset;

/**
 * Finds how old the first records are that a group has not committed, by asking partitions for offsets at times: ages 1 s, 2 s, 4 s, ... until the record is not
 * younger, then by halves, all partitions together. To a second or a sixteenth. Times of records that do not rise with their offsets make a record as young as
 * the newest before it. Confined to its caller's owner.
 */
final class LagAges {
    private static final long FIRST_AGE_MILLIS = 1_000;
    private static final int PRECISION = 16;
    private static final int ANY_EPOCH = -1;
    private static final long NONE = -1;

    private final BiConsumer<List<OffsetQuery>, Callback<List<Outcome<TimestampOffset>>>> offsets;
    private final long nowMillis;
    private final Runnable done;
    private final List<Search> searches = new ArrayList<>();

    /** @param done when all ages are known */
    LagAges(
            BiConsumer<List<OffsetQuery>, Callback<List<Outcome<TimestampOffset>>>> offsets,
            long nowMillis,
            Runnable done) {
        this.offsets = offsets;
        this.nowMillis = nowMillis;
        this.done = done;
    }

    /** The age of one record; -1 while and when it is not known. */
    static final class Search {
        private final PartitionId partition;
        private long offset;
        private boolean begun;
        private boolean ended;
        /** The record is older than this. */
        private long older;
        /** And not older than this; -1 until one such age was met. */
        private long atMost = NONE;

        private Search(PartitionId partition, long offset) {
            this.partition = partition;
            this.offset = offset;
        }

        /** Milliseconds. */
        long age() {
            return ended ? atMost : NONE;
        }

        private long nextAge(long most) {
            if (!begun) {
                return most;
            }
            if (atMost == NONE) {
                return Math.min(most, older == 0 ? FIRST_AGE_MILLIS : older * 2);
            }
            return older + (atMost - older) / 2;
        }

        private void met(long asked, Outcome<TimestampOffset> found, long most) {
            if (found.failure() != null) {
                ended = true;
                atMost = NONE;
                return;
            }
            long first = found.value().offset();
            if (!begun) {
                // The oldest record of all: those before it are gone, and cannot be waited for.
                begun = true;
                ended = first == NONE;
                offset = Math.max(offset, first);
                return;
            }
            if (first != NONE && first <= offset) {
                atMost = asked;
            } else {
                older = asked;
            }
            if (atMost == NONE && older >= most) {
                ended = true;
            } else if (atMost != NONE && atMost - older <= Math.max(FIRST_AGE_MILLIS, atMost / PRECISION)) {
                ended = true;
            }
        }
    }

    /** Before {@link #run}. */
    Search add(PartitionId partition, long offset) {
        Search search = new Search(partition, offset);
        searches.add(search);
        return search;
    }

    void run() {
        List<Search> open = searches.stream().filter(each -> !each.ended).toList();
        if (open.isEmpty()) {
            done.run();
            return;
        }
        List<Long> asked = new ArrayList<>(open.size());
        List<OffsetQuery> queries = new ArrayList<>(open.size());
        for (Search each : open) {
            long age = each.nextAge(nowMillis);
            asked.add(age);
            queries.add(new OffsetQuery(each.partition, ANY_EPOCH, nowMillis - age, false));
        }
        offsets.accept(queries, (found, failure) -> {
            for (int i = 0; i < open.size(); i++) {
                open.get(i).met(asked.get(i), found.get(i), nowMillis);
            }
            run();
        });
    }
}
