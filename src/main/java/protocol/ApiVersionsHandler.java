package protocol;

import common.Callback;
import java.util.List;
import java.util.regex.Pattern;
import metadata.Features;
import metadata.MetadataImage;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.FinalizedFeatureKey;
import org.apache.kafka.common.message.ApiVersionsResponseData.SupportedFeatureKey;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** What this broker offers: the keys of its handler table (rule R8), features, and the check that the client found the broker it meant (KIP-1242). */
public final class ApiVersionsHandler implements ApiHandler {
    private static final Pattern SOFTWARE = Pattern.compile("[a-zA-Z0-9](?:[a-zA-Z0-9\\-.]*[a-zA-Z0-9])?");
    /** From this version on features that start at level 0 are told; older clients cannot parse them (KIP-584). */
    private static final short ZERO_LEVELS = 4;

    private final int nodeId;
    private List<ApiHandler> offered = List.of(this);

    public ApiVersionsHandler(int nodeId) {
        this.nodeId = nodeId;
    }

    /** Called by the table that this handler is put into. */
    void advertise(List<ApiHandler> handlers) {
        offered = handlers;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.API_VERSIONS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        ApiVersionsResponseData response = new ApiVersionsResponseData();
        if (message instanceof UnsupportedVersionRequest) {
            add(response, this);
            respond.succeed(response.setErrorCode(Errors.UNSUPPORTED_VERSION.code()));
            return;
        }
        MetadataImage image = context.image();
        Errors refused = check((ApiVersionsRequestData) message, context.apiVersion(), image);
        if (refused != Errors.NONE) {
            respond.succeed(response.setErrorCode(refused.code()));
            return;
        }
        for (ApiHandler each : offered) {
            add(response, each);
        }
        Features.supported().forEach((name, range) -> {
            if (range.min() > 0 || context.apiVersion() >= ZERO_LEVELS) {
                response.supportedFeatures()
                        .add(new SupportedFeatureKey()
                                .setName(name)
                                .setMinVersion(range.min())
                                .setMaxVersion(range.max()));
            }
        });
        response.setFinalizedFeaturesEpoch(image.features().epoch());
        image.features()
                .finalized()
                .forEach((name, level) -> response.finalizedFeatures()
                        .add(new FinalizedFeatureKey()
                                .setName(name)
                                .setMinVersionLevel(level)
                                .setMaxVersionLevel(level)));
        respond.succeed(response);
    }

    private Errors check(ApiVersionsRequestData request, short version, MetadataImage image) {
        if (version >= 3
                && !(SOFTWARE.matcher(request.clientSoftwareName()).matches()
                        && SOFTWARE.matcher(request.clientSoftwareVersion()).matches())) {
            return Errors.INVALID_REQUEST;
        }
        boolean cluster = request.clusterId() != null;
        boolean node = request.nodeId() != -1;
        if (cluster != node) {
            return Errors.INVALID_REQUEST;
        }
        if (cluster && !(request.clusterId().equals(image.clusterId()) && request.nodeId() == nodeId)) {
            return Errors.REBOOTSTRAP_REQUIRED;
        }
        return Errors.NONE;
    }

    private static void add(ApiVersionsResponseData response, ApiHandler handler) {
        response.apiKeys()
                .add(new ApiVersion()
                        .setApiKey(handler.key().id)
                        .setMinVersion(handler.advertisedMinVersion())
                        .setMaxVersion(handler.maxVersion()));
    }
}
