package arch.planted.verticles;

import io.vertx.core.Vertx;

final class MayUseVertx {
    Vertx vertx;
}
