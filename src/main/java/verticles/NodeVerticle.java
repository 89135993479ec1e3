package verticles;

import config.BrokerConfig;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import node.NodeAssembly;
import node.NodeHost;
import protocol.Instance;

/** Starts and stops the node's machines in the order that the assembly knows. One instance, on event loop 0. */
final class NodeVerticle extends VerticleBase {
    private final Loops loops;
    private final NodeHost host;
    private final BrokerConfig config;
    private volatile NodeAssembly assembly;
    private volatile NodeAssembly.Started started;

    NodeVerticle(Loops loops, NodeHost host, BrokerConfig config) {
        this.loops = loops;
        this.host = host;
        this.config = config;
    }

    @Override
    public Future<?> start() {
        Promise<Void> serving = Promise.promise();
        loops.get(0).post(() -> {
            NodeAssembly made = new NodeAssembly(host, config);
            made.start((who, failure) -> {
                if (failure != null) {
                    serving.fail(new StartException(failure.message()));
                } else {
                    assembly = made;
                    started = who;
                    serving.complete();
                }
            });
        });
        return serving.future();
    }

    /** What the connections of one event loop share; after the start, on that loop. */
    Instance instance(OwnerLoop loop) {
        return assembly.instance(loop.index());
    }

    NodeAssembly.Started started() {
        return started;
    }

    /** Before the doors are closed: see {@link NodeAssembly#leave}. */
    Future<?> leave() {
        Promise<Void> left = Promise.promise();
        NodeAssembly running = assembly;
        loops.get(0).post(() -> running.leave((done, failure) -> left.complete()));
        return left.future();
    }

    /** The doors are closed. */
    @Override
    public Future<?> stop() {
        Promise<Void> stopped = Promise.promise();
        NodeAssembly running = assembly;
        loops.get(0)
                .post(() -> running.stop((done, failure) -> {
                    if (failure != null) {
                        stopped.fail(new StartException(failure.message()));
                    } else {
                        stopped.complete();
                    }
                }));
        return stopped.future();
    }
}
