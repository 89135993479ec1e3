package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import java.util.List;
import node.FetcherLab.Asked;
import node.FetcherLab.Part;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a fetcher says to a leader, and what it makes of answers and failures, with the leader played by hand. */
class ReplicaFetcherTest {
    private final FetcherLab lab = new FetcherLab();

    @AfterEach
    void everyAnswersMemoryIsGivenBack() {
        assertEquals(0, lab.leases());
    }

    /** The session has begun, and a second request waits with the leader. */
    private Asked session() {
        lab.next().answer(FetcherLab.response(5));
        return lab.next();
    }

    @Test
    void theFirstRequestSaysAllAndTheNextNothing() {
        Part a = lab.follow(0);
        Part b = lab.follow(1);
        Asked first = lab.next();
        assertEquals(List.of("0@0"), first.wishes(), "the second came while the first was on its way");
        assertEquals(0, first.request().sessionEpoch());
        assertEquals(0, first.request().maxWaitMs(), "nothing can be added while it waits");
        assertEquals(FetcherLab.SELF, first.request().replicaState().replicaId());
        assertEquals(FetcherLab.EPOCH, first.request().replicaState().replicaEpoch());
        first.answer(FetcherLab.response(5));
        Asked second = lab.next();
        assertEquals(List.of("1@0"), second.wishes());
        assertEquals(5, second.request().sessionId());
        assertEquals(1, second.request().sessionEpoch());
        assertEquals(500, second.request().maxWaitMs());
        second.answer(FetcherLab.response(5));
        Asked third = lab.next();
        assertEquals(List.of(), third.wishes());
        assertEquals(2, third.request().sessionEpoch());
        assertEquals(0, a.end + b.end);
    }

    @Test
    void onlyThePartitionThatGotRecordsIsSaidAgain() {
        lab.follow(0);
        Part b = lab.follow(1);
        lab.next().answer(FetcherLab.response(5));
        lab.next().answer(FetcherLab.response(5, FetcherLab.records(1, 0, 3)));
        assertEquals(3, b.end);
        assertEquals(3, b.highWatermark, "as far as it goes");
        assertEquals(List.of("1@3"), lab.next().wishes());
    }

    /** Who was away while records were deleted goes on where the leader's log starts. */
    @Test
    void aReplicaOutOfRangeBeginsAnewWhereTheLeadersLogStarts() {
        Part a = lab.follow(0);
        PartitionData told = new PartitionData()
                .setPartitionIndex(0)
                .setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code())
                .setLogStartOffset(40);
        lab.next().answer(FetcherLab.response(5, told));
        assertEquals(40, a.restartedAt);
        assertEquals(List.of("0@40"), lab.next().wishes());
    }

    @Test
    void theNextRequestWaitsUntilAllIsWritten() {
        Part a = lab.follow(0);
        Part b = lab.follow(1);
        lab.next().answer(FetcherLab.response(5));
        Asked asked = lab.next();
        a.slow = true;
        b.slow = true;
        asked.answer(FetcherLab.response(5, FetcherLab.records(0, 0, 1), FetcherLab.records(1, 0, 1)));
        assertEquals(0, lab.outstanding());
        a.written();
        assertEquals(0, lab.outstanding(), "b's is to be acknowledged by the same request");
        b.written();
        assertEquals(List.of("0@1", "1@1"), lab.next().wishes());
    }

    @Test
    void nobodyWaitsLongForASlowPartition() {
        lab.follow(0);
        Part b = lab.follow(1);
        lab.next().answer(FetcherLab.response(5));
        Asked asked = lab.next();
        b.slow = true;
        asked.answer(FetcherLab.response(5, FetcherLab.records(0, 0, 1), FetcherLab.records(1, 0, 1)));
        assertEquals(0, lab.outstanding());
        lab.passes(20);
        Asked without = lab.next();
        assertEquals(List.of("0@1"), without.wishes());
        assertEquals(List.of("1"), without.forgotten());
        b.written();
        assertEquals(2, lab.outstanding(), "what is written is said though the leader waits");
        Asked also = lab.last();
        assertEquals(List.of("1@1"), also.wishes());
        assertEquals(List.of(), also.forgotten());
        assertEquals(without.request().sessionEpoch() + 1, also.request().sessionEpoch());
        without.answer(FetcherLab.response(5));
        assertEquals(1, lab.outstanding());
        also.answer(FetcherLab.response(5));
        assertEquals(1, lab.outstanding());
    }

    @Test
    void aNewPartitionDoesNotWaitForTheLeadersWait() {
        lab.follow(0);
        Asked waiting = session();
        lab.follow(1);
        lab.follow(2);
        assertEquals(2, lab.outstanding(), "one request may wait, and one more end its wait");
        waiting.answer(FetcherLab.response(5));
        assertEquals(2, lab.outstanding());
        assertEquals(List.of("1@0"), lab.next().wishes());
        assertEquals(List.of("2@0"), lab.last().wishes());
    }

    @Test
    void anAnswerToAnEarlierWishIsNotTaken() {
        Part a = lab.follow(0);
        Asked waiting = session();
        lab.ended(a);
        Part again = lab.follow(0, 8);
        waiting.answer(FetcherLab.response(5, FetcherLab.records(0, 0, 2)));
        assertEquals(0, again.end, "asked by its predecessor");
        assertEquals(8, lab.next().request().topics().get(0).partitions().get(0).currentLeaderEpoch());
    }

    @Test
    void aRefusedConnectionIsToldAndTriedAgainAFewTimesASecond() {
        lab.follow(0);
        long attempts = 0;
        for (int i = 0; i < 6_000; i++) {
            if (lab.outstanding() > 0) {
                lab.next().fail(FailureCode.PEER_REFUSED);
                attempts++;
            }
            lab.passes(10);
        }
        assertEquals(attempts, lab.suspicions());
        assertTrue(attempts > 60 && attempts < 150, attempts + " in a minute");
        lab.passes(2_000);
        lab.next().answer(FetcherLab.response(5));
        lab.next().fail(FailureCode.PEER_REFUSED);
        lab.passes(30);
        assertEquals(1, lab.outstanding(), "after a success the first pause is short again");
        assertEquals(attempts + 1, lab.suspicions());
    }

    @Test
    void aLostConnectionBeginsANewSessionAndEndsTheOldOne() {
        Part a = lab.follow(0);
        Asked waiting = session();
        waiting.answer(FetcherLab.response(5, FetcherLab.records(0, 0, 2)));
        lab.next().fail(FailureCode.PEER_LOST);
        lab.passes(30);
        Asked anew = lab.next();
        assertEquals(5, anew.request().sessionId());
        assertEquals(0, anew.request().sessionEpoch());
        assertEquals(List.of("0@2"), anew.wishes());
        assertEquals(0, lab.suspicions());
        assertEquals(2, a.end);
    }

    @Test
    void lateAnswersOfAnEndedSessionAreNotTaken() {
        Part a = lab.follow(0);
        Asked waiting = session();
        lab.follow(1);
        Asked second = lab.last();
        waiting.answer(FetcherLab.failed(Errors.FETCH_SESSION_ID_NOT_FOUND));
        assertEquals(2, lab.outstanding(), "all is said again at once");
        second.answer(FetcherLab.response(5, FetcherLab.records(0, 0, 2)));
        assertEquals(0, a.end);
        Asked full = lab.next();
        assertEquals(0, full.request().sessionEpoch());
        assertEquals(List.of("0@0", "1@0"), full.wishes());
        full.answer(FetcherLab.failed(Errors.FETCH_SESSION_ID_NOT_FOUND));
        assertEquals(0, lab.outstanding(), "again: that is strange");
        lab.passes(40);
        assertEquals(1, lab.outstanding());
    }

    @Test
    void aLeaderWithoutRoomForSessionsIsToldAllEachTime() {
        lab.follow(0);
        lab.next().answer(FetcherLab.response(0));
        for (int i = 0; i < 3; i++) {
            Asked each = lab.next();
            assertEquals(List.of("0@0"), each.wishes());
            assertEquals(0, each.request().sessionEpoch());
            assertEquals(500, each.request().maxWaitMs(), "no busy loop");
            each.answer(FetcherLab.response(0));
        }
    }

    @Test
    void aPartitionWithAnErrorIsLeftOutForAWhileAndTheOthersGoOn() {
        lab.follow(0);
        Part b = lab.follow(1);
        lab.next().answer(FetcherLab.response(5));
        PartitionData error = FetcherLab.failed(0, Errors.NOT_LEADER_OR_FOLLOWER);
        lab.next().answer(FetcherLab.response(5, error, FetcherLab.records(1, 0, 1)));
        Asked without = lab.next();
        assertEquals(List.of("1@1"), without.wishes());
        assertEquals(List.of("0"), without.forgotten());
        lab.passes(30);
        assertEquals(List.of("0@0"), lab.last().wishes(), "soon: the leader may have learned of its epoch");
        without.answer(FetcherLab.response(5));
        int asked = 0;
        for (int i = 0; i < 1_000; i++) {
            for (Asked each : lab.all()) {
                boolean mine = each.wishes().contains("0@0");
                asked += mine ? 1 : 0;
                each.answer(mine ? FetcherLab.response(5, error) : FetcherLab.response(5));
            }
            lab.passes(20);
        }
        assertTrue(asked > 20 && asked < 60, asked + " times in 20 seconds");
        assertEquals(1, b.end);
    }

    @Test
    void damagedRecordsAreFetchedAgainAndThriceOverANewConnection() {
        Part a = lab.follow(0);
        lab.next().answer(FetcherLab.response(5));
        a.damage = Failure.of(FailureCode.CORRUPT_BATCH, "a batch is damaged");
        Object line = lab.line();
        for (int i = 0; i < 3; i++) {
            assertEquals(line, lab.line());
            lab.next().answer(FetcherLab.response(5, FetcherLab.records(0, 0, 1)));
            lab.passes(200);
            if (i < 2) {
                lab.next().answer(FetcherLab.response(5));
            }
        }
        assertNotSame(line, lab.line());
        a.damage = null;
        lab.next().answer(FetcherLab.response(6));
        lab.next().answer(FetcherLab.response(6, FetcherLab.records(0, 0, 1)));
        assertEquals(1, a.end);
    }

    @Test
    void aThrottledPartitionThatIsNotInSyncIsLeftOutWhileItsRateIsUsedUp() {
        lab.throttle(50);
        Part a = lab.follow(0);
        lab.follow(1);
        a.inSync = false;
        lab.next().answer(FetcherLab.response(5));
        lab.next().answer(FetcherLab.response(5, FetcherLab.records(1, 0, 50), FetcherLab.records(0, 0, 2)));
        Asked first = lab.next();
        assertEquals(List.of("1@50"), first.wishes(), "hundreds of bytes of the other do not count");
        assertEquals(List.of("0"), first.forgotten());
        lab.passes(300);
        assertEquals(1, lab.outstanding());
        int asked = 0;
        for (int i = 0; i < 600; i++) {
            for (Asked each : lab.all()) {
                boolean mine = each.wishes().contains("0@" + a.end);
                asked += mine ? 1 : 0;
                each.answer(mine ? FetcherLab.response(5, FetcherLab.records(0, a.end, 2)) : FetcherLab.response(5));
            }
            lab.passes(100);
        }
        assertTrue(asked > 15 && asked < 40, "about 3,000 bytes in a minute: " + asked + " times 94 bytes");
        a.inSync = true;
        lab.passes(300);
        lab.all().forEach(each -> each.answer(FetcherLab.response(5)));
        lab.next().answer(FetcherLab.response(5, FetcherLab.records(0, a.end, 50)));
        assertEquals(List.of("0@" + a.end), lab.next().wishes(), "in sync it is never throttled");
    }

    @Test
    void whatIsNotDurableIsFlushedBeforeItIsPromised() {
        Part a = lab.follow(0);
        Asked waiting = session();
        a.unflushed = true;
        waiting.answer(FetcherLab.response(5, FetcherLab.records(0, 0, 1)));
        assertEquals(0, lab.outstanding());
        a.flushed();
        assertEquals(List.of("0@1"), lab.next().wishes());
    }

    @Test
    void aSlowNetworkIsAskedForLess() {
        lab.follow(0);
        int[] most = new int[12];
        for (int i = 0; i < most.length; i++) {
            most[i] = lab.next().request().maxBytes();
            lab.next().fail(FailureCode.TIMED_OUT);
            lab.passes(2_000);
        }
        assertEquals(10 << 20, most[0]);
        assertEquals(5 << 20, most[1]);
        assertEquals(64 * 1024, most[11]);
        lab.next().answer(FetcherLab.response(5));
        for (int i = 0; i < 12; i++) {
            lab.next().answer(FetcherLab.response(5));
        }
        assertEquals(10 << 20, lab.next().request().maxBytes());
    }

    @Test
    void aLeaderAtAnotherAddressIsDialledThere() {
        lab.follow(0);
        Asked waiting = session();
        lab.moveLeader("elsewhere");
        waiting.answer(FetcherLab.response(5));
        assertEquals("elsewhere", lab.dialled().host());
        FetchRequestData anew = lab.next().request();
        assertEquals(0, anew.sessionEpoch());
    }

    @Test
    void withoutAnAddressItIsTriedAgain() {
        lab.moveLeader(null);
        lab.follow(0);
        assertEquals(0, lab.outstanding());
        lab.passes(5_000);
        lab.moveLeader("there");
        lab.passes(1_100);
        assertEquals(1, lab.outstanding());
    }

    @Test
    void theLastPartitionTakesTheConnectionWithIt() {
        Part a = lab.follow(0);
        Part b = lab.follow(1);
        Asked waiting = session();
        lab.ended(a);
        assertTrue(lab.connected());
        b.slow = true;
        waiting.answer(FetcherLab.response(5));
        lab.next().answer(FetcherLab.response(5, FetcherLab.records(1, 0, 1)));
        lab.ended(b);
        assertTrue(!lab.connected());
        b.written();
        assertEquals(0, lab.outstanding());
    }
}
