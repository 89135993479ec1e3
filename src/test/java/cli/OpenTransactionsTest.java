package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTransactionsResult;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.admin.internals.CoordinatorKey;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

/** What the command line makes of the answers about transactional ids. */
final class OpenTransactionsTest {

    /** An id maps to when its transaction began, or to an error. */
    private static Admin admin(Map<String, Object> known) {
        Map<CoordinatorKey, KafkaFuture<TransactionDescription>> futures = new LinkedHashMap<>();
        known.forEach((id, what) -> {
            KafkaFutureImpl<TransactionDescription> future = new KafkaFutureImpl<>();
            if (what instanceof ApiException error) {
                future.completeExceptionally(error);
            } else {
                future.complete(new TransactionDescription(
                        1, TransactionState.ONGOING, 7, 0, 1_000, OptionalLong.of((Integer) what), Set.of()));
            }
            futures.put(CoordinatorKey.byTransactionalId(id), future);
        });
        return (Admin) Proxy.newProxyInstance(
                Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (proxy, method, arguments) -> {
                    assertEquals("describeTransactions", method.getName());
                    Constructor<DescribeTransactionsResult> result =
                            DescribeTransactionsResult.class.getDeclaredConstructor(Map.class);
                    result.setAccessible(true);
                    return result.newInstance(futures);
                });
    }

    @Test
    void theOldestComesFirstAndWhatHasVanishedIsLeftOut() throws Exception {
        Map<String, Object> known = new LinkedHashMap<>();
        known.put("young", 500);
        known.put("gone", new TransactionalIdNotFoundException("expired meanwhile"));
        known.put("old", 100);
        Map<String, TransactionDescription> found =
                OpenTransactions.describe(admin(known), List.copyOf(known.keySet()));
        assertEquals(List.of("old", "young"), List.copyOf(found.keySet()));
    }

    @Test
    void anyOtherErrorIsTold() {
        Admin admin = admin(Map.of("id", new ClusterAuthorizationException("no")));
        ExecutionException told =
                assertThrows(ExecutionException.class, () -> OpenTransactions.describe(admin, List.of("id")));
        assertInstanceOf(ClusterAuthorizationException.class, told.getCause());
    }

    @Test
    void whoAsksForAnIdThatIsNotThereIsTold() {
        Admin admin = admin(Map.of("id", new TransactionalIdNotFoundException("no such id")));
        CliFailure told = assertThrows(CliFailure.class, () -> OpenTransactions.describe(admin, "id"));
        assertEquals("there is no transactional id id", told.getMessage());
    }
}
