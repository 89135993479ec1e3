package protocol;

import common.Callback;
import common.Failure;
import common.PartitionId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.ProduceResponseData.NodeEndpoint;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import records.BatchHeader;
import records.RecordError;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.ProducePartition;
import replication.ReplicaShard.Produced;
import services.ErrorMapping;
import services.ProduceService;

/** Appends records. Batches are checked by their partition's leader; here only what concerns the request. */
public final class ProduceHandler implements ApiHandler {
    /** Versions 0 to 2 are named in ApiVersions but not understood, as in Kafka: old librdkafka needs to see them (KAFKA-18659). */
    private static final short ADVERTISED_MIN = ApiKeys.PRODUCE_API_VERSIONS_RESPONSE_MIN_VERSION;
    /** First version that names topics by id. */
    private static final short TOPIC_IDS = 13;
    /** First version that names the current leader (KIP-951). */
    private static final short LEADERS = 10;

    private final ProduceService service;

    public ProduceHandler(ProduceService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.PRODUCE;
    }

    @Override
    public short advertisedMinVersion() {
        return ADVERTISED_MIN;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        ProduceRequestData request = (ProduceRequestData) message;
        Pending pending = new Pending(context, request, respond);
        short acks = request.acks();
        boolean validAcks = acks >= -1 && acks <= 1;
        for (TopicProduceData topic : request.topicData()) {
            pending.topic(topic, validAcks);
        }
        if (pending.severalTransactions) {
            pending.refuseAll(
                    Errors.INVALID_PRODUCER_ID_MAPPING,
                    "transactional batches of more than one producer in one request");
            pending.finish();
            return;
        }
        if (pending.sent.isEmpty()) {
            pending.finish();
            return;
        }
        context.frame().retain();
        service.produce(
                pending.sent,
                request.transactionalId(),
                acks,
                request.timeoutMs(),
                context.apiVersion(),
                context.frame(),
                pending::produced);
    }

    /** One request: its response as it comes together. */
    private static final class Pending {
        private final RequestContext context;
        private final short acks;
        private final boolean mayBeTransactional;
        private final Callback<ApiMessage> respond;
        private final MetadataImage image;
        private final ProduceResponseData response = new ProduceResponseData();
        private final List<ProducePartition> sent = new ArrayList<>(1);
        private final List<PartitionProduceResponse> awaited = new ArrayList<>(1);
        private boolean failed;
        private ByteBuffer transaction;
        private boolean severalTransactions;

        Pending(RequestContext context, ProduceRequestData request, Callback<ApiMessage> respond) {
            this.context = context;
            this.acks = request.acks();
            this.mayBeTransactional = request.transactionalId() != null;
            this.respond = respond;
            this.image = context.image();
        }

        void topic(TopicProduceData topic, boolean validAcks) {
            boolean byId = context.apiVersion() >= TOPIC_IDS;
            TopicImage known = byId ? image.topic(topic.topicId()) : image.topic(topic.name());
            List<PartitionProduceResponse> answers =
                    new ArrayList<>(topic.partitionData().size());
            for (PartitionProduceData each : topic.partitionData()) {
                PartitionProduceResponse answer =
                        new PartitionProduceResponse().setIndex(each.index()).setBaseOffset(-1);
                answers.add(answer);
                PartitionId id = Topics.partition(known, each.index());
                if (!validAcks) {
                    refuse(answer, Errors.INVALID_REQUIRED_ACKS, "acks must be 0, 1 or -1 (all)");
                } else if (id == null) {
                    boolean unknownId = known == null && byId;
                    refuse(answer, unknownId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION, null);
                } else if (known.internal()) {
                    String why = "Cannot append to internal topic " + known.name();
                    refuse(answer, Errors.INVALID_TOPIC_EXCEPTION, why);
                } else {
                    records(id, (MemoryRecords) each.records(), answer);
                }
            }
            response.responses()
                    .add(new TopicProduceResponse()
                            .setName(topic.name())
                            .setTopicId(topic.topicId())
                            .setPartitionResponses(answers));
        }

        private void records(PartitionId id, MemoryRecords records, PartitionProduceResponse answer) {
            if (records == null) {
                refuse(answer, Errors.INVALID_RECORD, "no record batch for this partition");
                return;
            }
            ByteBuffer batch = records.buffer();
            boolean transactional =
                    batch.remaining() >= BatchHeader.SIZE && BatchHeader.isTransactional(batch, batch.position());
            if (transactional) {
                severalTransactions |= transaction != null && !sameProducer(transaction, batch);
                transaction = batch;
            }
            if (!transactional || mayBeTransactional) {
                sent.add(new ProducePartition(id, batch));
                awaited.add(answer);
            } else {
                refuse(
                        answer,
                        Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                        "a transactional batch in a request without a transactional id");
            }
        }

        private static boolean sameProducer(ByteBuffer some, ByteBuffer other) {
            return BatchHeader.producerId(some, some.position()) == BatchHeader.producerId(other, other.position())
                    && BatchHeader.producerEpoch(some, some.position())
                            == BatchHeader.producerEpoch(other, other.position());
        }

        void refuseAll(Errors error, String why) {
            for (TopicProduceResponse topic : response.responses()) {
                topic.partitionResponses().forEach(each -> refuse(each, error, why));
            }
        }

        private void refuse(PartitionProduceResponse answer, Errors error, String why) {
            failed = true;
            answer.setErrorCode(error.code()).setErrorMessage(why);
        }

        void produced(List<Outcome<Produced>> outcomes, Failure whole) {
            for (int i = 0; i < awaited.size(); i++) {
                PartitionProduceResponse answer = awaited.get(i);
                Outcome<Produced> outcome = whole == null ? outcomes.get(i) : new Outcome<>(null, whole);
                Produced value = outcome.value();
                if (outcome.failure() != null) {
                    Errors error = context.apiVersion() >= TOPIC_IDS
                            ? ErrorMapping.of(outcome.failure())
                            : ErrorMapping.ofNamed(outcome.failure());
                    refuse(answer, error, outcome.failure().message());
                    if (value != null) {
                        answer.setLogStartOffset(value.logStartOffset());
                        answer.setRecordErrors(recordErrors(value.recordErrors()));
                    }
                } else {
                    answer.setBaseOffset(value.append().baseOffset())
                            .setLogAppendTimeMs(value.append().logAppendTimeMillis())
                            .setLogStartOffset(value.logStartOffset());
                }
            }
            finish();
        }

        private static List<BatchIndexAndErrorMessage> recordErrors(List<RecordError> errors) {
            List<BatchIndexAndErrorMessage> all = new ArrayList<>(errors.size());
            for (RecordError each : errors) {
                all.add(new BatchIndexAndErrorMessage()
                        .setBatchIndex(each.batchIndex())
                        .setBatchIndexErrorMessage(each.message()));
            }
            return all;
        }

        void finish() {
            if (acks == 0) {
                if (failed) {
                    // The only way to tell such a producer that it must look at the metadata again.
                    context.closeConnection("a Produce request with acks=0 failed");
                } else {
                    respond.succeed(null);
                }
                return;
            }
            if (failed && context.apiVersion() >= LEADERS) {
                nameLeaders();
            }
            respond.succeed(response);
        }

        private void nameLeaders() {
            MetadataImage now = context.image();
            Topics.Leaders leaders = new Topics.Leaders(now, context.connection());
            for (TopicProduceResponse topic : response.responses()) {
                TopicImage known =
                        context.apiVersion() >= TOPIC_IDS ? now.topic(topic.topicId()) : now.topic(topic.name());
                for (PartitionProduceResponse each : topic.partitionResponses()) {
                    PartitionImage partition = each.errorCode() == Errors.NOT_LEADER_OR_FOLLOWER.code()
                            ? Topics.find(known, each.index())
                            : null;
                    if (partition != null) {
                        each.setCurrentLeader(new LeaderIdAndEpoch()
                                .setLeaderId(partition.leader())
                                .setLeaderEpoch(partition.leaderEpoch()));
                        leaders.add(partition.leader());
                    }
                }
            }
            for (Topics.Leaders.Node node : leaders.nodes()) {
                response.nodeEndpoints()
                        .add(new NodeEndpoint()
                                .setNodeId(node.id())
                                .setHost(node.host())
                                .setPort(node.port())
                                .setRack(node.rack()));
            }
        }
    }
}
