package verticles;

/** The same door where epoll does not load: other systems, other processors. */
class KafkaServerOnNioTest extends KafkaServerVerticleTest {

    @Override
    TestLoops newLoops() {
        return new TestLoops(2, false);
    }
}
