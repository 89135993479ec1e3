package arch.planted.services;

import arch.Breaks;
import java.util.concurrent.CompletableFuture;

@Breaks("R2")
final class WaitsForFuture {
    int wait(CompletableFuture<Integer> future) {
        return future.join();
    }
}
