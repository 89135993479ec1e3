package verticles;

import common.Failure;
import config.BrokerConfig;
import io.netty.buffer.PooledByteBufAllocator;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import protocol.Connection;
import protocol.Instance;

/**
 * One node as a process: event loops, the door's sockets, the node behind them, and the way down. The sockets are bound first, so that a port in use is found
 * before any data is touched; who connects early waits until the node serves.
 */
final class BrokerProcess {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerProcess.class);
    private static final int STOP_SECONDS = 120;

    private final BrokerConfig config;
    private final Vertx vertx;
    private final VertxNodeHost host;
    private final Doors doors;
    private final NodeVerticle node;
    private volatile String clientDoor;
    private volatile String controllerDoor;
    private volatile String nodeDeployment;
    private volatile HintBus hints;

    private BrokerProcess(BrokerConfig config) {
        FatalErrors fatalErrors = FatalErrors.haltProcess();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> fatalErrors.report(error));
        int count = loops(config);
        PooledByteBufAllocator allocator = Memory.allocator(count);
        this.config = config;
        List<Path> directories = directories(config);
        this.vertx = vertx(count);
        vertx.exceptionHandler(fatalErrors::report);
        Loops loops = new Loops(vertx, count, fatalErrors);
        this.doors = Doors.of(config.node(), config.network(), loops, allocator);
        this.host = new VertxNodeHost(vertx, loops, directories, doors, allocator, new MicrometerMetrics());
        this.node = new NodeVerticle(loops, host, config);
    }

    /** Blocks until the node serves. */
    static void start(BrokerConfig config, long enteredNanos) {
        BrokerProcess process = new BrokerProcess(config);
        Runtime.getRuntime().addShutdownHook(new Thread(process::stop, "stop"));
        process.serve(enteredNanos);
    }

    /**
     * Each event loop carries a share of the partitions and of the connections; the other half of the cores is left to disk threads, the collector and the
     * clients' machine when they share it. Kafka's default of num.network.threads (3) knows nothing of the machine, so only a value given counts.
     */
    private static int loops(BrokerConfig config) {
        return config.properties().containsKey("num.network.threads")
                ? config.network().threads()
                : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    private static List<Path> directories(BrokerConfig config) {
        List<Path> directories = new ArrayList<>();
        for (String name : config.storage().logDirs()) {
            // Without "..": it leads nowhere behind a name that is not there.
            Path directory = Path.of(name).toAbsolutePath().normalize();
            try {
                Files.createDirectories(directory);
            } catch (IOException e) {
                // As in Kafka the node starts without it, and says so, unless it needs it.
                if (!name.equals(config.storage().metadataLogDir())) {
                    directories.add(directory);
                    continue;
                }
                throw new StartException("log.dirs=" + name + ": the directory cannot be made (" + e
                        + "). Name one that this user may write.");
            }
            directories.add(directory);
        }
        return directories;
    }

    /** Only what a broker needs: no name resolver, no file cache, no pools that it does not use. */
    private static Vertx vertx(int loops) {
        System.setProperty("vertx.disableDnsResolver", "true");
        System.setProperty("vertx.disableMetrics", "true");
        VertxOptions options = new VertxOptions()
                .setEventLoopPoolSize(loops)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(1)
                .setPreferNativeTransport(true)
                .setDisableTCCL(true)
                .setBlockedThreadCheckInterval(10)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.SECONDS)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false));
        return Vertx.vertx(options);
    }

    private void serve(long enteredNanos) {
        clientDoor = bind(doors.clients());
        controllerDoor = bind(doors.controllers());
        nodeDeployment = await(vertx.deployVerticle(node), Long.MAX_VALUE);
        doors.clients().open(loop -> {
            Instance instance = node.instance(loop);
            return (info, transport) -> new Connection(info, transport, instance);
        });
        System.out.println(ReadyLine.of(config, doors, node.started(), enteredNanos));
        System.out.flush();
        watchOthers();
    }

    /** After the node serves, and beside it: nothing waits for hints. */
    private void watchOthers() {
        try {
            HintPlace place = HintPlace.of(config, node.started().clusterId());
            if (place != null) {
                hints = new HintBus(place, host::suspect);
                hints.open();
            }
        } catch (HintPlace.Unusable e) {
            LOG.warn("no hints of lost nodes: {}. Those are noticed later, by their silence", e.getMessage());
        }
    }

    /** Null when it has no listeners. */
    private String bind(Door door) {
        if (door.addresses().isEmpty()) {
            return null;
        }
        DeploymentOptions onEachLoop =
                new DeploymentOptions().setInstances(host.loops()).setThreadingModel(ThreadingModel.EVENT_LOOP);
        return await(vertx.deployVerticle(() -> new KafkaServerVerticle(door), onEachLoop), Long.MAX_VALUE);
    }

    private void unbind(String door) {
        if (door != null) {
            await(vertx.undeploy(door), TimeUnit.SECONDS.toMillis(STOP_SECONDS));
        }
    }

    private static <T> T await(Future<T> future, long millis) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(millis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StartException known) {
                throw known;
            }
            LOG.error("unexpected error while starting", e.getCause());
            throw new StartException("unexpected error: " + e.getCause());
        } catch (TimeoutException | InterruptedException e) {
            throw new StartException("gave up waiting");
        }
    }

    /** In the shutdown hook, after SIGTERM or SIGINT: the process ends with status 0 if everything was made durable. */
    private void stop() {
        long start = System.nanoTime();
        int status = 0;
        try {
            if (nodeDeployment == null) {
                LOG.info("stopped before the node had started");
            } else {
                LOG.info("stopping: handing over what this broker leads");
                await(node.leave(), TimeUnit.SECONDS.toMillis(STOP_SECONDS));
                LOG.info("stopping: no new connections, finishing what is under way");
                unbind(clientDoor);
                await(vertx.undeploy(nodeDeployment), TimeUnit.SECONDS.toMillis(STOP_SECONDS));
                // Last: until the node has ended, other controllers ask it, and it says who comes after it.
                unbind(controllerDoor);
                host.closeDisks(STOP_SECONDS);
                if (hints != null) {
                    hints.close();
                }
                LOG.info("stopped cleanly in {} ms", (System.nanoTime() - start) / 1_000_000);
            }
        } catch (StartException | InterruptedException e) {
            LOG.error("not stopped cleanly: {}; the next start recovers from the logs", e.getMessage());
            status = 1;
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }

    /** For {@link node.NodeHost#halt}: ends the process for a reason that no restart of a part can mend. */
    static void halt(Failure why) {
        try {
            LOG.error("stopping at once: {}", why.message());
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }
}
