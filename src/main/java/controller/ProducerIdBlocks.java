package controller;

import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.protocol.Errors;

/** AllocateProducerIds (KIP-730). A block whose answer is lost is lost: its ids are never given again (C7). */
final class ProducerIdBlocks {

    Decision<AllocateProducerIdsResponseData> decide(MetadataImage image, AllocateProducerIdsRequestData request) {
        BrokerImage broker = image.broker(request.brokerId());
        if (broker == null || broker.epoch() != request.brokerEpoch()) {
            return refused(Errors.STALE_BROKER_EPOCH);
        }
        long first = image.nextProducerId();
        if (first > Long.MAX_VALUE - Limits.PRODUCER_ID_BLOCK) {
            return refused(Errors.UNKNOWN_SERVER_ERROR);
        }
        return new Decision<>(
                List.of(MetadataRecords.producerIds(
                        request.brokerId(), request.brokerEpoch(), first + Limits.PRODUCER_ID_BLOCK)),
                new AllocateProducerIdsResponseData()
                        .setProducerIdStart(first)
                        .setProducerIdLen(Limits.PRODUCER_ID_BLOCK));
    }

    private static Decision<AllocateProducerIdsResponseData> refused(Errors error) {
        return Decision.unchanged(new AllocateProducerIdsResponseData().setErrorCode(error.code()));
    }
}
