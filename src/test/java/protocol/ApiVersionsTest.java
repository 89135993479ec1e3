package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.junit.jupiter.api.Test;

/** Rule R8 for the data plane, and what ApiVersions says. */
class ApiVersionsTest {
    private final Broker broker = new Broker(3);

    private static ApiVersionsRequestData request() {
        return new ApiVersionsRequestData().setClientSoftwareName("a-client").setClientSoftwareVersion("1.0");
    }

    private ApiVersionsResponseData ask(int version, ApiVersionsRequestData request) {
        return (ApiVersionsResponseData) broker.ask(ApiKeys.API_VERSIONS, version, request);
    }

    @Test
    void advertisedKeysHaveHandlersAndKafkasRanges() {
        ApiVersionsResponseData.ApiVersionCollection kafkas =
                ApiVersionsResponse.brokerApiVersions(ListenerType.BROKER, false, true);
        HandlerTable table = broker.wire.instance.handlers();
        for (short version : Broker.versions(ApiKeys.API_VERSIONS)) {
            ApiVersionsResponseData response = ask(version, request());
            assertEquals(0, response.errorCode());
            assertEquals(table.all().size(), response.apiKeys().size());
            for (ApiVersion each : response.apiKeys()) {
                ApiHandler handler = table.get(each.apiKey());
                assertNotNull(handler, "R8: key " + each.apiKey());
                ApiVersion theirs = kafkas.find(each.apiKey());
                assertEquals(theirs.minVersion(), each.minVersion(), handler.key().name);
                assertEquals(theirs.maxVersion(), each.maxVersion(), handler.key().name);
                assertEquals(handler.key().oldestVersion(), handler.minVersion());
                assertEquals(each.maxVersion(), handler.maxVersion());
            }
        }
    }

    @Test
    void featuresAsKafkaTellsThem() {
        for (int version = 3; version <= 5; version++) {
            ApiVersionsResponseData response = ask(version, request());
            assertEquals(version == 3 ? 1 : 4, response.supportedFeatures().size());
            assertEquals(
                    7, response.supportedFeatures().find("metadata.version").minVersion());
            assertEquals(
                    33, response.finalizedFeatures().find("metadata.version").maxVersionLevel());
            assertEquals(broker.wire.image.features().epoch(), response.finalizedFeaturesEpoch());
        }
    }

    @Test
    void unknownVersionsAreAnsweredInTheOldestLayout() {
        for (int version : new int[] {6, 99, 32767, -1}) {
            ByteBuffer frame = ByteBuffer.allocate(4 + 8 + 5);
            frame.putInt(13)
                    .putShort(ApiKeys.API_VERSIONS.id)
                    .putShort((short) version)
                    .putInt(77);
            frame.put(new byte[] {(byte) 0xff, 3, (byte) 0xff, (byte) 0xff, 9});
            broker.wire.read(frame.array());
            ApiVersionsResponseData response = (ApiVersionsResponseData) Wire.response(
                    ApiKeys.API_VERSIONS,
                    (short) 0,
                    77,
                    broker.wire.transport.frames().get(0));
            assertEquals(Errors.UNSUPPORTED_VERSION.code(), response.errorCode());
            assertEquals(1, response.apiKeys().size());
            assertEquals(5, response.apiKeys().find(ApiKeys.API_VERSIONS.id).maxVersion());
        }
        assertNull(broker.wire.transport.closed());
        assertEquals(0, ask(3, request()).errorCode());
    }

    @Test
    void softwareNamesAndTheClustersIdentityAreChecked() {
        assertEquals(
                Errors.INVALID_REQUEST.code(),
                ask(3, request().setClientSoftwareName("bad name!")).errorCode());
        assertEquals(
                Errors.INVALID_REQUEST.code(),
                ask(4, request().setClientSoftwareVersion("")).errorCode());
        assertEquals(
                0, ask(5, request().setClusterId(Images.CLUSTER).setNodeId(1)).errorCode());
        assertEquals(
                Errors.REBOOTSTRAP_REQUIRED.code(),
                ask(5, request().setClusterId(Images.CLUSTER).setNodeId(2)).errorCode());
        assertEquals(
                Errors.REBOOTSTRAP_REQUIRED.code(),
                ask(5, request().setClusterId("other").setNodeId(1)).errorCode());
        assertEquals(
                Errors.INVALID_REQUEST.code(), ask(5, request().setNodeId(1)).errorCode());
        ApiVersionsResponseData refused = ask(5, request().setClusterId("other"));
        assertEquals(Errors.INVALID_REQUEST.code(), refused.errorCode());
        assertTrue(refused.apiKeys().isEmpty());
    }
}
