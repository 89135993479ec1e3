package verticles;

import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The second, clustered Vert.x, of one event loop, whose cluster manager is Hazelcast: it hears at once when a member of the cluster is gone. That is a hint,
 * and no more: what it says is checked by who decides, and while it is split, stalled or absent all is as right as with it, only slower. It is built in the
 * background, and again whenever it fails. All of it happens on one thread of its own.
 */
final class HintBus {
    private static final Logger LOG = LoggerFactory.getLogger(HintBus.class);
    private static final int BUILD_SECONDS = 60;
    private static final int FIRST_PAUSE_SECONDS = 5;
    private static final int LONGEST_PAUSE_SECONDS = 60;
    private static final int CLOSE_SECONDS = 1;

    private final HintPlace place;
    private final IntConsumer lost;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "hints");
        made.setDaemon(true);
        return made;
    });
    private Vertx vertx;
    private int pauseSeconds = FIRST_PAUSE_SECONDS;

    static {
        // Read before there is a configuration that could say so.
        System.setProperty("hazelcast.logging.type", "slf4j");
    }

    /** @param lost gets the id of a node whose member is gone, on this bus's thread */
    HintBus(HintPlace place, IntConsumer lost) {
        this.place = place;
        this.lost = lost;
    }

    /** Returns at once. */
    void open() {
        thread.execute(this::build);
    }

    private void build() {
        HazelcastClusterManager manager = new HazelcastClusterManager(HintNetwork.of(place));
        Future<Vertx> building =
                Vertx.builder().with(options()).withClusterManager(manager).buildClustered();
        try {
            vertx = building.toCompletionStage().toCompletableFuture().get(BUILD_SECONDS, TimeUnit.SECONDS);
            watch(manager.getHazelcastInstance());
            pauseSeconds = FIRST_PAUSE_SECONDS;
            LOG.info("hints of lost nodes come over {}:{}", place.address(), place.port());
        } catch (ExecutionException e) {
            again(e.getCause());
        } catch (TimeoutException e) {
            building.onSuccess(late -> {
                late.close();
            });
            again(e);
        } catch (InterruptedException e) {
            building.onSuccess(late -> {
                late.close();
            });
        }
    }

    private VertxOptions options() {
        return new VertxOptions()
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(1)
                .setPreferNativeTransport(true)
                .setDisableTCCL(true)
                .setEventBusOptions(new EventBusOptions()
                        .setHost(place.address())
                        .setClusterPublicHost(place.address())
                        .setPort(0))
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false));
    }

    private void watch(HazelcastInstance hazelcast) {
        Vertx watched = vertx;
        hazelcast.getCluster().addMembershipListener(new MembershipListener() {
            @Override
            public void memberAdded(MembershipEvent event) {
                LOG.debug("member {} of the hint group came", event.getMember());
            }

            @Override
            public void memberRemoved(MembershipEvent event) {
                String node = event.getMember().getAttribute(HintNetwork.NODE);
                if (node != null) {
                    enqueue(() -> hear(Integer.parseInt(node)));
                }
            }
        });
        hazelcast.getLifecycleService().addLifecycleListener(event -> {
            if (event.getState() == LifecycleEvent.LifecycleState.SHUTDOWN) {
                enqueue(() -> ended(watched));
            }
        });
        if (!hazelcast.getLifecycleService().isRunning()) {
            ended(watched);
        }
    }

    private void hear(int node) {
        LOG.info("node {} left the hint group", node);
        lost.accept(node);
    }

    /** Hazelcast gave up, as it does when it runs out of memory or meets a newer version of itself. */
    private void ended(Vertx which) {
        if (vertx == which) {
            discard();
            again(new IllegalStateException("Hazelcast has ended"));
        }
    }

    private void again(Throwable why) {
        LOG.warn(
                "no hints of lost nodes for now ({}): those are noticed later, by their silence. Tried again in {} s;"
                        + " is port {} of {} free, and open to the other nodes?",
                why.toString(),
                pauseSeconds,
                place.port(),
                place.address());
        thread.schedule(this::build, pauseSeconds, TimeUnit.SECONDS);
        pauseSeconds = Math.min(2 * pauseSeconds, LONGEST_PAUSE_SECONDS);
    }

    private void discard() {
        Vertx old = vertx;
        vertx = null;
        CountDownLatch closed = new CountDownLatch(1);
        old.close().onComplete(done -> closed.countDown());
        try {
            if (!closed.await(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.debug("the hint bus takes long to close");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void enqueue(Runnable step) {
        try {
            thread.execute(step);
        } catch (RejectedExecutionException closed) {
            LOG.debug("a hint came after the end");
        }
    }

    /** Leaves the group, if that takes only a moment. */
    void close() throws InterruptedException {
        enqueue(() -> {
            if (vertx != null) {
                discard();
            }
        });
        thread.shutdown();
        if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
            thread.shutdownNow();
        }
    }
}
