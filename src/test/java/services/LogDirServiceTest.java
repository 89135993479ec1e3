package services;

import static org.junit.jupiter.api.Assertions.assertEquals;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.PartitionId;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import replication.ReplicaShard;
import replication.ReplicaShard.LogDirInfo;
import replication.ReplicaShard.PartitionSize;

class LogDirServiceTest {
    private static final Uuid ID = new Uuid(1, 1);

    private final HeldMailboxes mailboxes = new HeldMailboxes();
    private final LogDirService service = new LogDirService(mailboxes, 2, 1_000);
    private final List<String> events = new ArrayList<>();

    @Test
    void putsTheShardsTogether() {
        describe();
        mailboxes.deliver(shard(List.of(info("/a", null, 0, 2), info("/b", null)), null));
        assertEquals(List.of(), events);
        mailboxes.deliver(shard(
                List.of(info("/a", null, 1), info("/b", Failure.of(FailureCode.SYNC_FAILED, "gone"), 3)), null));
        assertEquals(List.of("/a [0, 2, 1] fine", "/b [3] SYNC_FAILED"), events);
    }

    @Test
    void keepsOnlyWhatIsWanted() {
        service.describe(size -> size.partition().partition() == 2, (infos, failure) -> tell(infos));
        mailboxes.deliver(shard(List.of(info("/a", null, 0, 2)), null));
        mailboxes.deliver(shard(List.of(info("/a", null, 1)), null));
        assertEquals(List.of("/a [2] fine"), events);
    }

    @Test
    void oneMissingShardFailsTheWhole() {
        describe();
        mailboxes.deliver(shard(null, Failure.of(FailureCode.TIMED_OUT, "late")));
        mailboxes.deliver(shard(List.of(info("/a", null, 1)), null));
        assertEquals(List.of("failed TIMED_OUT"), events);
    }

    private void describe() {
        service.describe(size -> true, (infos, failure) -> {
            if (failure != null) {
                events.add("failed " + failure.code());
            } else {
                tell(infos);
            }
        });
    }

    private void tell(List<LogDirInfo> infos) {
        for (LogDirInfo info : infos) {
            List<Integer> partitions = info.partitions().stream()
                    .map(size -> size.partition().partition())
                    .toList();
            events.add(info.path() + " " + partitions + " "
                    + (info.failure() == null ? "fine" : info.failure().code()));
        }
    }

    private static LogDirInfo info(String path, Failure failure, int... partitions) {
        List<PartitionSize> sizes = new ArrayList<>();
        for (int partition : partitions) {
            sizes.add(new PartitionSize(new PartitionId(ID, partition), "t", path, 10, 0));
        }
        return new LogDirInfo(path, failure, 100, 50, sizes);
    }

    private static ReplicaShard shard(List<LogDirInfo> answer, Failure failure) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            @SuppressWarnings("unchecked")
            Callback<List<LogDirInfo>> done = (Callback<List<LogDirInfo>>) arguments[0];
            done.done(answer, failure);
            return null;
        };
        return (ReplicaShard) Proxy.newProxyInstance(
                ReplicaShard.class.getClassLoader(), new Class<?>[] {ReplicaShard.class}, handler);
    }
}
