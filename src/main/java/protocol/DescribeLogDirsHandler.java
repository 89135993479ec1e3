package protocol;

import common.Callback;
import common.Failure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import replication.ReplicaShard.LogDirInfo;
import replication.ReplicaShard.PartitionSize;
import services.LogDirService;

/** Sizes of this node's log directories and of the partitions in them. */
final class DescribeLogDirsHandler implements ApiHandler {
    private final LogDirService logDirs;

    DescribeLogDirsHandler(LogDirService logDirs) {
        this.logDirs = logDirs;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_LOG_DIRS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DescribeLogDirsRequestData request = (DescribeLogDirsRequestData) message;
        Callback<List<LogDirInfo>> answer = (infos, failure) -> answer(infos, failure, respond);
        logDirs.describe(wanted(request), answer);
    }

    /** No list of topics means all, an empty list none. */
    private static Predicate<PartitionSize> wanted(DescribeLogDirsRequestData request) {
        if (request.topics() == null) {
            return size -> true;
        }
        TreeMap<String, List<Integer>> asked = new TreeMap<>();
        for (DescribableLogDirTopic topic : request.topics()) {
            asked.computeIfAbsent(topic.topic(), name -> new ArrayList<>()).addAll(topic.partitions());
        }
        return size -> asked.getOrDefault(size.topic(), List.of())
                .contains(size.partition().partition());
    }

    private static void answer(List<LogDirInfo> infos, Failure failure, Callback<ApiMessage> respond) {
        if (failure != null) {
            respond.fail(failure);
            return;
        }
        DescribeLogDirsResponseData response = new DescribeLogDirsResponseData();
        infos.forEach(info -> response.results().add(result(info)));
        respond.succeed(response);
    }

    private static DescribeLogDirsResult result(LogDirInfo info) {
        TreeMap<String, DescribeLogDirsTopic> topics = new TreeMap<>();
        List<PartitionSize> sizes = new ArrayList<>(info.partitions());
        sizes.sort(Comparator.comparingInt(size -> size.partition().partition()));
        for (PartitionSize size : sizes) {
            topics.computeIfAbsent(size.topic(), name -> new DescribeLogDirsTopic().setName(name))
                    .partitions()
                    .add(new DescribeLogDirsPartition()
                            .setPartitionIndex(size.partition().partition())
                            .setPartitionSize(size.sizeBytes())
                            .setOffsetLag(size.offsetLag()));
        }
        Errors error = info.failure() == null ? Errors.NONE : Errors.KAFKA_STORAGE_ERROR;
        return new DescribeLogDirsResult()
                .setErrorCode(error.code())
                .setLogDir(info.path())
                .setTotalBytes(info.totalBytes())
                .setUsableBytes(info.usableBytes())
                .setTopics(new ArrayList<>(topics.values()));
    }
}
