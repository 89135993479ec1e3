package sim;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * What a transactional producer says on the wire, and what the answers mean.
 *
 * @param id its transactional id
 */
record SimTxnRequests(String id, long producerId, short epoch) {

    InitProducerIdRequestData init(int timeoutMillis) {
        return new InitProducerIdRequestData()
                .setTransactionalId(id)
                .setTransactionTimeoutMs(timeoutMillis)
                .setProducerId(producerId)
                .setProducerEpoch(epoch);
    }

    AddPartitionsToTxnRequestData add(SimTxnPartition partition) {
        AddPartitionsToTxnTopicCollection topics = new AddPartitionsToTxnTopicCollection();
        topics.add(new AddPartitionsToTxnTopic().setName(partition.topic).setPartitions(List.of(partition.partition)));
        return new AddPartitionsToTxnRequestData()
                .setV3AndBelowTransactionalId(id)
                .setV3AndBelowProducerId(producerId)
                .setV3AndBelowProducerEpoch(epoch)
                .setV3AndBelowTopics(topics);
    }

    static Errors added(ApiMessage answer) {
        return Errors.forCode(((AddPartitionsToTxnResponseData) answer)
                .resultsByTopicV3AndBelow()
                .iterator()
                .next()
                .resultsByPartition()
                .iterator()
                .next()
                .partitionErrorCode());
    }

    ProduceRequestData produce(SimTxnPartition partition, MemoryRecords batch, int timeoutMillis) {
        TopicProduceData topic = new TopicProduceData().setName(partition.topic);
        topic.partitionData()
                .add(new PartitionProduceData().setIndex(partition.partition).setRecords(batch));
        ProduceRequestData request = new ProduceRequestData()
                .setAcks((short) -1)
                .setTimeoutMs(timeoutMillis)
                .setTransactionalId(id);
        request.topicData().add(topic);
        return request;
    }

    static PartitionProduceResponse produced(ApiMessage answer) {
        return ((ProduceResponseData) answer)
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
    }

    AddOffsetsToTxnRequestData addOffsets(String group) {
        return new AddOffsetsToTxnRequestData()
                .setTransactionalId(id)
                .setProducerId(producerId)
                .setProducerEpoch(epoch)
                .setGroupId(group);
    }

    /** @param offsets by partition of the topic */
    TxnOffsetCommitRequestData commitOffsets(String group, String topic, Map<Integer, Long> offsets) {
        TxnOffsetCommitRequestTopic committed = new TxnOffsetCommitRequestTopic().setName(topic);
        offsets.forEach((partition, offset) -> committed
                .partitions()
                .add(new TxnOffsetCommitRequestPartition()
                        .setPartitionIndex(partition)
                        .setCommittedOffset(offset)
                        .setCommittedMetadata("")));
        return new TxnOffsetCommitRequestData()
                .setTransactionalId(id)
                .setProducerId(producerId)
                .setProducerEpoch(epoch)
                .setGroupId(group)
                .setTopics(List.of(committed));
    }

    static Errors committedOffsets(ApiMessage answer) {
        return Errors.forCode(((TxnOffsetCommitResponseData) answer)
                .topics()
                .get(0)
                .partitions()
                .get(0)
                .errorCode());
    }

    EndTxnRequestData end(boolean commit) {
        return new EndTxnRequestData()
                .setTransactionalId(id)
                .setProducerId(producerId)
                .setProducerEpoch(epoch)
                .setCommitted(commit);
    }
}
