package replication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import common.Failure;
import common.FailureCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommitWaitersTest {
    private static final Failure LATE = Failure.of(FailureCode.TIMED_OUT, "late");

    private final CommitWaiters waiters = new CommitWaiters();
    private final List<String> answers = new ArrayList<>();

    private void await(long lastOffset, long deadline) {
        waiters.await(
                lastOffset,
                deadline,
                (none, failure) -> answers.add(lastOffset + (failure == null ? "" : " " + failure.code())));
    }

    @Test
    void aDuplicateIsAnsweredWithItsOriginalThoughItCameLater() {
        await(9, 100);
        await(19, 100);
        await(9, 100);
        waiters.committed(15, null);
        assertEquals(List.of("9", "9"), answers);
    }

    @Test
    void eachHasItsOwnDeadline() {
        await(9, 3_000_000);
        await(19, 1_000_000);
        await(29, 2_000_000);
        assertEquals(1, waiters.millisLeft(0));
        waiters.expire(2_000_000, LATE);
        assertEquals(List.of("19 TIMED_OUT", "29 TIMED_OUT"), answers);
        waiters.committed(10, null);
        assertEquals("9", answers.get(2));
        assertEquals(-1, waiters.millisLeft(0));
    }

    @Test
    void whoIsToldOfTheEndMayWaitAnew() {
        waiters.await(5, 10, (none, failure) -> await(7, 10));
        await(6, 10);
        waiters.failAll(LATE);
        assertEquals(List.of("6 TIMED_OUT"), answers);
        waiters.committed(8, null);
        assertEquals(List.of("6 TIMED_OUT", "7"), answers);
    }
}
