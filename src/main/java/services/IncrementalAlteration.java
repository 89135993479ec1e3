package services;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.ConfigTarget;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.Errors;

/** One request of single-key changes: what this node decides by itself (its loggers, other nodes' names), and what the controller does. */
final class IncrementalAlteration {
    private final List<AlterConfigsResource> order = new ArrayList<>();
    private final Map<ConfigTarget, AlterConfigsResourceResponse> own = new TreeMap<>();
    private final IncrementalAlterConfigsRequestData rest;

    IncrementalAlteration(int nodeId, LoggerChanges loggers, IncrementalAlterConfigsRequestData request) {
        rest = new IncrementalAlterConfigsRequestData().setValidateOnly(request.validateOnly());
        for (AlterConfigsResource resource : request.resources()) {
            order.add(resource);
            LoggerChanges.Verdict verdict = decide(nodeId, loggers, resource, request.validateOnly());
            if (verdict == null) {
                rest.resources().add(resource.duplicate());
            } else {
                own.put(target(resource), answer(resource, verdict));
            }
        }
    }

    IncrementalAlterConfigsRequestData forController() {
        return rest;
    }

    /** The controller's answer with this node's own, in the order of the request. */
    IncrementalAlterConfigsResponseData answer(IncrementalAlterConfigsResponseData ofController) {
        Map<ConfigTarget, AlterConfigsResourceResponse> all = new TreeMap<>(own);
        for (AlterConfigsResourceResponse each : ofController.responses()) {
            all.put(new ConfigTarget(each.resourceType(), each.resourceName()), each);
        }
        IncrementalAlterConfigsResponseData answer = new IncrementalAlterConfigsResponseData();
        for (AlterConfigsResource resource : order) {
            AlterConfigsResourceResponse of = all.get(target(resource));
            answer.responses()
                    .add(
                            of == null
                                    ? answer(resource, new LoggerChanges.Verdict(Errors.UNKNOWN_SERVER_ERROR, null))
                                    : of.duplicate());
        }
        return answer;
    }

    /** null: for the controller. */
    private static LoggerChanges.Verdict decide(
            int nodeId, LoggerChanges loggers, AlterConfigsResource resource, boolean validateOnly) {
        boolean logger = resource.resourceType() == ConfigTarget.BROKER_LOGGER;
        boolean broker = resource.resourceType() == ConfigTarget.BROKER
                && !resource.resourceName().isEmpty();
        if (!logger && !broker) {
            return null;
        }
        String problem = NodeName.problem(resource.resourceName(), nodeId);
        if (problem != null) {
            return new LoggerChanges.Verdict(Errors.INVALID_REQUEST, problem);
        }
        if (!logger) {
            return null;
        }
        List<LoggerChanges.Change> changes = new ArrayList<>();
        resource.configs()
                .forEach(config ->
                        changes.add(new LoggerChanges.Change(config.name(), config.value(), config.configOperation())));
        return loggers.apply(changes, validateOnly);
    }

    private static AlterConfigsResourceResponse answer(AlterConfigsResource resource, LoggerChanges.Verdict verdict) {
        return new AlterConfigsResourceResponse()
                .setResourceType(resource.resourceType())
                .setResourceName(resource.resourceName())
                .setErrorCode(verdict.error().code())
                .setErrorMessage(verdict.message());
    }

    private static ConfigTarget target(AlterConfigsResource resource) {
        return new ConfigTarget(resource.resourceType(), resource.resourceName());
    }
}
