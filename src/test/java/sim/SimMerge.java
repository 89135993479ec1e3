package sim;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerResult;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** Answers of several nodes to the parts of one request, as if one had answered all of it; see {@link SimSplit}. */
final class SimMerge {
    /** After which a client asks anew who leads. */
    private static final Set<Errors> STALE = EnumSet.of(
            Errors.NOT_LEADER_OR_FOLLOWER,
            Errors.LEADER_NOT_AVAILABLE,
            Errors.FENCED_LEADER_EPOCH,
            Errors.UNKNOWN_TOPIC_OR_PARTITION,
            Errors.UNKNOWN_TOPIC_ID,
            Errors.KAFKA_STORAGE_ERROR,
            Errors.OFFSET_NOT_AVAILABLE,
            Errors.NOT_COORDINATOR,
            Errors.COORDINATOR_NOT_AVAILABLE);

    private SimMerge() {}

    /** @param answers one at least, of one class; their parts are taken over */
    static ApiMessage merge(List<ApiMessage> answers) {
        ApiMessage all = answers.get(0);
        answers.subList(1, answers.size()).forEach(each -> add(all, each));
        return all;
    }

    private static void add(ApiMessage all, ApiMessage more) {
        if (all instanceof ProduceResponseData produce) {
            take(((ProduceResponseData) more).responses(), produce.responses());
        } else if (all instanceof FetchResponseData fetch) {
            fetched(fetch, (FetchResponseData) more);
        } else if (all instanceof ListOffsetsResponseData list) {
            list.topics().addAll(((ListOffsetsResponseData) more).topics());
        } else if (all instanceof DeleteRecordsResponseData delete) {
            take(((DeleteRecordsResponseData) more).topics(), delete.topics());
        } else if (all instanceof DescribeProducersResponseData describe) {
            describe.topics().addAll(((DescribeProducersResponseData) more).topics());
        } else if (all instanceof WriteTxnMarkersResponseData markers) {
            ((WriteTxnMarkersResponseData) more).markers().forEach(each -> marker(markers.markers(), each));
        } else if (all instanceof ListTransactionsResponseData list) {
            ListTransactionsResponseData other = (ListTransactionsResponseData) more;
            list.transactionStates().addAll(other.transactionStates());
            list.setErrorCode(list.errorCode() == 0 ? other.errorCode() : list.errorCode());
        } else if (all instanceof ListGroupsResponseData list) {
            ListGroupsResponseData other = (ListGroupsResponseData) more;
            list.groups().addAll(other.groups());
            list.setErrorCode(list.errorCode() == 0 ? other.errorCode() : list.errorCode());
        } else {
            throw new IllegalArgumentException(all.toString());
        }
    }

    /** An element is in one collection at a time. */
    private static <E> void take(Iterable<E> from, java.util.Collection<E> into) {
        List<E> elements = new ArrayList<>();
        for (var each = from.iterator(); each.hasNext(); ) {
            elements.add(each.next());
            each.remove();
        }
        into.addAll(elements);
    }

    private static void fetched(FetchResponseData all, FetchResponseData more) {
        all.setErrorCode(all.errorCode() == 0 ? more.errorCode() : all.errorCode());
        for (FetchableTopicResponse topic : more.responses()) {
            all.responses().stream()
                    .filter(each ->
                            each.topic().equals(topic.topic()) && each.topicId().equals(topic.topicId()))
                    .findFirst()
                    .ifPresentOrElse(
                            same -> same.partitions().addAll(topic.partitions()),
                            () -> all.responses().add(topic));
        }
    }

    private static void marker(List<WritableTxnMarkerResult> all, WritableTxnMarkerResult more) {
        all.stream()
                .filter(each -> each.producerId() == more.producerId())
                .findFirst()
                .ifPresentOrElse(same -> same.topics().addAll(more.topics()), () -> all.add(more));
    }

    /** Whether something in it says that another node leads. */
    static boolean stale(ApiMessage answer) {
        boolean[] stale = {false};
        if (answer instanceof ProduceResponseData produce) {
            produce.responses()
                    .forEach(topic -> topic.partitionResponses().forEach(each -> stale[0] |= stale(each.errorCode())));
        } else if (answer instanceof FetchResponseData fetch) {
            fetch.responses().forEach(topic -> topic.partitions().forEach(each -> stale[0] |= stale(each.errorCode())));
        } else if (answer instanceof ListOffsetsResponseData list) {
            list.topics().forEach(topic -> topic.partitions().forEach(each -> stale[0] |= stale(each.errorCode())));
        } else if (answer instanceof DeleteRecordsResponseData delete) {
            delete.topics().forEach(topic -> topic.partitions().forEach(each -> stale[0] |= stale(each.errorCode())));
        } else if (answer instanceof DescribeProducersResponseData describe) {
            describe.topics().forEach(topic -> topic.partitions().forEach(each -> stale[0] |= stale(each.errorCode())));
        } else if (answer instanceof TxnOffsetCommitResponseData commit) {
            commit.topics().forEach(topic -> topic.partitions().forEach(each -> stale[0] |= stale(each.errorCode())));
        }
        return stale[0];
    }

    private static boolean stale(short error) {
        return STALE.contains(Errors.forCode(error));
    }
}
