package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.TreeMap;
import metadata.MetadataImage;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeAclsResponseData;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData.ComponentData;
import org.apache.kafka.common.message.DescribeClientQuotasResponseData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.ListConfigResourcesResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import services.ClusterImages;
import services.ConfigService;
import services.HeldMailboxes;
import services.LogLevels;
import services.QuotaService;
import services.TopicService;

/** The smaller admin handlers: what they make of a request, without a controller. */
class NodeHandlersTest {
    private final HeldMailboxes mailboxes = new HeldMailboxes();
    private final MetadataImage image = image();

    @Test
    void clusterWithAndWithoutFencedBrokers() {
        DescribeClusterRequestData request = new DescribeClusterRequestData();
        assertEquals(1, cluster(2, request).brokers().size());
        assertEquals(Integer.MIN_VALUE, cluster(2, request).clusterAuthorizedOperations());
        request.setIncludeFencedBrokers(true).setIncludeClusterAuthorizedOperations(true);
        assertEquals(2, cluster(2, request).brokers().size());
        assertEquals(true, cluster(2, request).brokers().find(2).isFenced());
        assertEquals(8096, cluster(2, request).clusterAuthorizedOperations());
    }

    @Test
    void thisIsNoControllersDoor() {
        assertEquals(
                Errors.MISMATCHED_ENDPOINT_TYPE.code(),
                cluster(1, new DescribeClusterRequestData().setEndpointType((byte) 2))
                        .errorCode());
        assertEquals(
                Errors.UNSUPPORTED_ENDPOINT_TYPE.code(),
                cluster(1, new DescribeClusterRequestData().setEndpointType((byte) 9))
                        .errorCode());
    }

    @Test
    void topicsThatMustStaySaySo() {
        DeleteTopicsHandler handler = new DeleteTopicsHandler(new TopicService(mailboxes, true, false));
        DeleteTopicsRequestData request = new DeleteTopicsRequestData();
        request.topics().add(new DeleteTopicState().setName("t"));
        DeleteTopicsResponseData answer = call(handler, 6, request).answer(DeleteTopicsResponseData.class);
        assertEquals(
                Errors.TOPIC_DELETION_DISABLED.code(),
                answer.responses().find("t").errorCode());
        DeleteTopicsRequestData old = new DeleteTopicsRequestData().setTopicNames(List.of("t"));
        answer = call(handler, 2, old).answer(DeleteTopicsResponseData.class);
        assertEquals(Errors.INVALID_REQUEST.code(), answer.responses().find("t").errorCode());
        assertEquals(0, mailboxes.waiting());
    }

    @Test
    void quotasAreShownOrTheErrorIs() {
        DescribeClientQuotasRequestData request = new DescribeClientQuotasRequestData();
        DescribeClientQuotasHandler handler = new DescribeClientQuotasHandler(new QuotaService(mailboxes, 1));
        DescribeClientQuotasResponseData all = call(handler, 1, request).answer(DescribeClientQuotasResponseData.class);
        assertEquals(1, all.entries().size());
        assertEquals("ada", all.entries().get(0).entity().get(0).entityName());
        assertEquals(12.0, all.entries().get(0).values().get(0).value());
        request.components().add(new ComponentData().setEntityType("planet").setMatchType((byte) 2));
        DescribeClientQuotasResponseData refused =
                call(handler, 1, request).answer(DescribeClientQuotasResponseData.class);
        assertEquals(Errors.UNSUPPORTED_VERSION.code(), refused.errorCode());
        assertNull(refused.entries());
    }

    @Test
    void oldClientsListClientMetricsOnly() {
        ConfigService configs = new ConfigService(mailboxes, null, LogLevels.NONE, 1, 1);
        ListConfigResourcesHandler handler = new ListConfigResourcesHandler(configs);
        ListConfigResourcesRequestData request = new ListConfigResourcesRequestData();
        ListConfigResourcesResponseData old = call(handler, 0, request).answer(ListConfigResourcesResponseData.class);
        assertEquals(1, old.configResources().size());
        assertEquals("sub", old.configResources().get(0).resourceName());
        // Two brokers, each with loggers; one subscription.
        assertEquals(
                5,
                call(handler, 1, request)
                        .answer(ListConfigResourcesResponseData.class)
                        .configResources()
                        .size());
    }

    @Test
    void noAuthorizerNoLists() {
        DescribeAclsResponseData answer = call(new DescribeAclsHandler(), 3, new DescribeAclsRequestData())
                .answer(DescribeAclsResponseData.class);
        assertEquals(Errors.SECURITY_DISABLED.code(), answer.errorCode());
        assertNotNull(answer.errorMessage());
    }

    private DescribeClusterResponseData cluster(int version, DescribeClusterRequestData request) {
        return call(new DescribeClusterHandler(), version, request).answer(DescribeClusterResponseData.class);
    }

    private HandlerCall call(ApiHandler handler, int version, ApiMessage request) {
        return HandlerCall.of(handler, version, () -> image, request);
    }

    private static MetadataImage image() {
        TreeMap<String, String> user = new TreeMap<>();
        user.put("user", "ada");
        return new ClusterImages()
                .broker(1, false, "PLAINTEXT", "one", 1)
                .broker(2, true, "PLAINTEXT", "two", 2)
                .config((byte) 16, "sub", "interval.ms", "1000")
                .quota(user, "producer_byte_rate", 12.0)
                .image();
    }
}
