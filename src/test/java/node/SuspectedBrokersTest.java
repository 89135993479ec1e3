package node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import common.Callback;
import common.FailureCode;
import common.Lease;
import common.Peers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.Endpoint;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;

/** L1: only who is surely gone is taken for gone. */
class SuspectedBrokersTest {
    private final ArrayDeque<Callback<Peers.Answer>> dialled = new ArrayDeque<>();
    private final List<String> addresses = new ArrayList<>();
    private final List<Integer> gone = new ArrayList<>();
    private int closed;
    private final SuspectedBrokers suspected =
            new SuspectedBrokers(this::line, "INNER", SuspectedBrokersTest::image, broker -> gone.add(broker.id()));

    private Peers.Peer line(Peers.Address to) {
        addresses.add(to.toString());
        return new Peers.Peer() {
            @Override
            public void send(ApiMessage request, int timeoutMillis, Callback<Peers.Answer> done) {
                dialled.add(done);
            }

            @Override
            public void close() {
                closed++;
            }
        };
    }

    private static MetadataImage image() {
        MetadataDelta delta = new MetadataDelta(MetadataImage.empty("c"));
        for (int id = 1; id <= 3; id++) {
            List<Endpoint> endpoints = List.of(
                    new Endpoint("OUTER", "outer" + id, 1, "PLAINTEXT"),
                    new Endpoint("INNER", "inner" + id, 2, "PLAINTEXT"));
            delta.apply(
                    MetadataRecords.broker(
                            new BrokerImage(id, id, new Uuid(1, id), endpoints, null, id == 3, List.of())),
                    id);
        }
        return delta.image(10);
    }

    @Test
    void whoIsRefusedIsGone() {
        suspected.look(1);
        suspected.look(1);
        assertEquals(List.of("inner1:2"), addresses, "one look at a time");
        dialled.remove().fail(FailureCode.PEER_REFUSED, "refused");
        assertEquals(List.of(1), gone);
        assertEquals(1, closed);
    }

    @Test
    void whoAnswersOrCannotBeReachedIsNot() {
        suspected.look(2);
        dialled.remove().succeed(new Peers.Answer(new ApiVersionsResponseData(), (short) 4, new Lease() {
            @Override
            public void retain() {}

            @Override
            public void release() {}
        }));
        for (FailureCode each : List.of(FailureCode.PEER_UNREACHABLE, FailureCode.TIMED_OUT, FailureCode.OVERLOADED)) {
            suspected.look(2);
            dialled.remove().fail(each, "no");
        }
        assertEquals(List.of(), gone);
        assertEquals(4, addresses.size());
    }

    /** The listener of a process that ends closes a moment later than others see it. */
    @Test
    void whoTakesAConnectionAndLosesItIsLookedForAgain() {
        suspected.look(1);
        dialled.remove().fail(FailureCode.PEER_LOST, "reset");
        dialled.remove().fail(FailureCode.PEER_REFUSED, "refused");
        assertEquals(List.of(1), gone);
        suspected.look(2);
        while (!dialled.isEmpty()) {
            dialled.remove().fail(FailureCode.PEER_LOST, "reset");
        }
        assertEquals(List.of(1), gone, "it listens");
        assertEquals(addresses.size(), closed);
    }

    @Test
    void whoTakesNoPartIsNotLookedFor() {
        suspected.look(3);
        suspected.look(9);
        assertEquals(List.of(), addresses);
    }
}
