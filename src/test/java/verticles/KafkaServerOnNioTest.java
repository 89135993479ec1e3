package verticles;

/** The same door where epoll does not load: other systems, other processors. */
class KafkaServerOnNioTest extends KafkaServerVerticleTest {

    KafkaServerOnNioTest() {
        super(new TestLoops(2, false));
    }
}
