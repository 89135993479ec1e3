package protocol;

import common.Callback;
import config.DescribedConfig;
import java.util.ArrayList;
import java.util.List;
import metadata.ConfigTarget;
import metadata.MetadataImage;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ConfigService;
import services.ConfigService.Described;
import services.ConfigService.Wanted;

/** Shows configs in force, where each comes from, and what it is for. */
final class DescribeConfigsHandler implements ApiHandler {
    private final ConfigService configs;

    DescribeConfigsHandler(ConfigService configs) {
        this.configs = configs;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_CONFIGS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DescribeConfigsRequestData request = (DescribeConfigsRequestData) message;
        MetadataImage image = context.image();
        DescribeConfigsResponseData response = new DescribeConfigsResponseData();
        for (DescribeConfigsResource resource : request.resources()) {
            ConfigTarget target = new ConfigTarget(resource.resourceType(), resource.resourceName());
            response.results()
                    .add(result(configs.describe(image, new Wanted(target, resource.configurationKeys())), request));
        }
        respond.succeed(response);
    }

    private static DescribeConfigsResult result(Described described, DescribeConfigsRequestData request) {
        List<DescribeConfigsResourceResult> entries =
                new ArrayList<>(described.entries().size());
        described.entries().forEach(entry -> entries.add(entry(entry, request)));
        DescribeConfigsResult result = new DescribeConfigsResult()
                .setErrorCode(described.error().code())
                .setResourceType(described.target().type())
                .setResourceName(described.target().name())
                .setConfigs(entries);
        return described.message() == null ? result : result.setErrorMessage(described.message());
    }

    private static DescribeConfigsResourceResult entry(DescribedConfig config, DescribeConfigsRequestData request) {
        List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
        if (request.includeSynonyms()) {
            for (DescribedConfig.Synonym synonym : config.synonyms()) {
                synonyms.add(new DescribeConfigsSynonym()
                        .setName(synonym.name())
                        .setValue(synonym.value())
                        .setSource(synonym.source()));
            }
        }
        return new DescribeConfigsResourceResult()
                .setName(config.name())
                .setValue(config.value())
                .setConfigSource(config.source())
                .setConfigType(config.type())
                .setReadOnly(config.readOnly())
                .setIsSensitive(config.sensitive())
                .setSynonyms(synonyms)
                .setDocumentation(request.includeDocumentation() ? config.documentation() : null);
    }
}
