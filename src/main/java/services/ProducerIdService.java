package services;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mailboxes;
import common.OwnerId;
import controller.Controller;
import java.util.ArrayDeque;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Hands out producer ids that nobody else gets (rule C7), from blocks of the controller. One instance per server instance, confined to its owner; ids left in
 * a block at a stop are never used.
 */
public final class ProducerIdService {
    private static final OwnerId<Controller> CONTROLLER = new OwnerId<>(Controller.class, 0);
    private static final long TIMEOUT_MILLIS = 10_000;
    /** Requests that may wait for a block. */
    private static final int MAX_WAITING = 10_000;

    private final Mailboxes mailboxes;
    private final int nodeId;
    private final ArrayDeque<Callback<Long>> waiting = new ArrayDeque<>();
    private long next;
    private long left;
    private boolean asking;
    private long brokerEpoch;

    public ProducerIdService(Mailboxes mailboxes, int nodeId) {
        this.mailboxes = mailboxes;
        this.nodeId = nodeId;
    }

    /** A new producer id, or a retriable failure. {@code image} tells as which incarnation this broker asks (C1). */
    public void next(MetadataImage image, Callback<Long> done) {
        if (left > 0) {
            left--;
            done.succeed(next++);
        } else if (waiting.size() >= MAX_WAITING) {
            done.fail(FailureCode.OVERLOADED, "too many requests wait for producer ids");
        } else {
            waiting.add(done);
            BrokerImage self = image.broker(nodeId);
            brokerEpoch = self == null ? -1 : self.epoch();
            ask();
        }
    }

    private void ask() {
        if (asking) {
            return;
        }
        asking = true;
        AllocateProducerIdsRequestData request =
                new AllocateProducerIdsRequestData().setBrokerId(nodeId).setBrokerEpoch(brokerEpoch);
        mailboxes.<Controller, AllocateProducerIdsResponseData>call(
                CONTROLLER,
                (controller, reply) -> controller.allocateProducerIds(request, reply),
                TIMEOUT_MILLIS,
                (block, failure) -> {
                    asking = false;
                    if (failure == null && block.errorCode() == Errors.NONE.code()) {
                        take(block);
                    } else {
                        refuse(failure != null ? failure : refusal(block));
                    }
                });
    }

    private static Failure refusal(AllocateProducerIdsResponseData block) {
        return Failure.of(
                FailureCode.OVERLOADED,
                "no producer ids to be had: "
                        + Errors.forCode(block.errorCode()).message());
    }

    private void take(AllocateProducerIdsResponseData block) {
        next = block.producerIdStart();
        left = block.producerIdLen();
        while (left > 0 && !waiting.isEmpty()) {
            left--;
            waiting.poll().succeed(next++);
        }
        if (!waiting.isEmpty()) {
            ask();
        }
    }

    private void refuse(Failure failure) {
        int count = waiting.size();
        for (int i = 0; i < count; i++) {
            waiting.poll().fail(failure);
        }
    }
}
