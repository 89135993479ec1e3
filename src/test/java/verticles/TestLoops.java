package verticles;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Real event loops for a test; fatal errors are collected instead of stopping the process. */
final class TestLoops implements AutoCloseable {
    /** Only ends a test that fails anyway. */
    static final int PATIENCE_SECONDS = 120;

    final List<Throwable> fatal = new CopyOnWriteArrayList<>();
    final Vertx vertx;
    final Loops loops;

    /** As production has them: epoll where it loads. */
    TestLoops(int count) {
        this(count, true);
    }

    TestLoops(int count, boolean nativeTransport) {
        vertx = Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(count)
                .setWorkerPoolSize(1)
                .setPreferNativeTransport(nativeTransport));
        loops = new Loops(vertx, count, fatal::add);
    }

    /** Runs {@code work} on a loop and waits until it completes its argument. */
    <T> T on(int loop, Consumer<CompletableFuture<T>> work) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        loops.get(loop).post(() -> work.accept(result));
        return result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join();
    }
}
