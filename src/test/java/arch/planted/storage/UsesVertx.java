package arch.planted.storage;

import arch.Breaks;
import io.vertx.core.Vertx;

@Breaks("R1")
final class UsesVertx {
    Vertx vertx;
}
