package arch.planted.services;

import arch.Breaks;
import java.util.concurrent.CompletableFuture;

@Breaks("R2")
final class ContinuesElsewhere {
    CompletableFuture<Void> then(CompletableFuture<Integer> future) {
        return future.thenAcceptAsync(value -> {});
    }
}
