package sim;

import java.util.List;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** Compares what administrators were told with what is there at the end (R10, C7, C9). */
final class SimAdminJudge {
    private SimAdminJudge() {}

    static void judge(List<SimAdmin> admins, SimFinalReader reader) {
        for (SimAdmin admin : admins) {
            for (SimAdmin.Known topic : admin.topics()) {
                judge(topic, reader);
            }
        }
    }

    private static void judge(SimAdmin.Known topic, SimFinalReader reader) {
        MetadataRequestData request = new MetadataRequestData()
                .setTopics(List.of(new MetadataRequestTopic().setName(topic.name)))
                .setAllowAutoTopicCreation(false);
        MetadataResponseTopic got = ((MetadataResponseData) reader.call(ApiKeys.METADATA, (short) 12, request))
                .topics()
                .iterator()
                .next();
        boolean exists = got.errorCode() == Errors.NONE.code();
        boolean contradiction = (exists && topic.exists == SimAdmin.Existence.NO)
                || (!exists && topic.exists == SimAdmin.Existence.YES);
        if (contradiction) {
            throw new RuleBroken(
                    "R10 metadata operations",
                    topic.name + " should exist: " + topic.exists + ", but Metadata says "
                            + Errors.forCode(got.errorCode()));
        }
        if (exists && topic.exists == SimAdmin.Existence.YES) {
            retention(topic, reader);
        }
    }

    private static void retention(SimAdmin.Known topic, SimFinalReader reader) {
        DescribeConfigsResource resource = new DescribeConfigsResource()
                .setResourceType((byte) 2)
                .setResourceName(topic.name)
                .setConfigurationKeys(List.of("retention.ms"));
        DescribeConfigsRequestData request = new DescribeConfigsRequestData().setResources(List.of(resource));
        String value = ((DescribeConfigsResponseData) reader.call(ApiKeys.DESCRIBE_CONFIGS, (short) 4, request))
                .results()
                .get(0)
                .configs()
                .get(0)
                .value();
        boolean possible = topic.retention.contains(value) || topic.retention.contains("");
        if (!possible) {
            throw new RuleBroken(
                    "R10 metadata operations",
                    topic.name + " retention.ms is " + value + ", should be " + topic.retention);
        }
    }
}
