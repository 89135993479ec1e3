package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import common.FailureCode;
import coordinator.InstantRuntime.Answer;
import coordinator.Result;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import org.junit.jupiter.api.Test;
import records.schemas.GroupRecord;

/** The bench keeps the promises of the runtime that it stands for. */
class ShardBenchTest {
    private final ShardBench bench = new ShardBench(ShardBench.config(), MetadataImage.empty("test"), 1);

    @Test
    void answersWhenCommitted() {
        bench.holdCommits();
        Answer<String> write = bench.write(shard -> Result.answer("written"));
        Answer<String> read = bench.read(shard -> "read");
        assertFalse(write.isDone());
        assertFalse(read.isDone());
        bench.commit();
        assertEquals("written", write.value());
        assertEquals("read", read.value());
    }

    @Test
    void aFailedAppendFailsAllThatWaits() {
        bench.holdCommits();
        Answer<String> write = bench.write(shard -> Result.answer("written"));
        bench.failAppend();
        assertEquals(FailureCode.NOT_COORDINATOR, write.failure().code());
    }

    @Test
    void timersRunInOrderAndNeverEarly() {
        List<String> ran = new ArrayList<>();
        bench.context().timers().set("b", 20, () -> note(ran, "b"));
        bench.context().timers().set("a", 10, () -> note(ran, "a"));
        bench.context().timers().set("b", 15, () -> note(ran, "b again"));
        bench.context().timers().set("c", 12, () -> note(ran, "c"));
        bench.context().timers().cancel("c");
        bench.advance(9);
        assertEquals(List.of(), ran);
        bench.advance(6);
        assertEquals(List.of("a", "b again"), ran);
    }

    private Result<GroupRecord, Void> note(List<String> ran, String name) {
        ran.add(name);
        return Result.nothing();
    }
}
