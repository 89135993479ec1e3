package services;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.ConfigTarget;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.Errors;

/** One request that replaces all configs of its resources: what this node refuses by itself, and what the controller does. */
final class Replacement {
    private final List<AlterConfigsResource> order = new ArrayList<>();
    private final Map<ConfigTarget, AlterConfigsResourceResponse> own = new TreeMap<>();
    private final AlterConfigsRequestData rest;

    Replacement(int nodeId, AlterConfigsRequestData request) {
        rest = new AlterConfigsRequestData().setValidateOnly(request.validateOnly());
        for (AlterConfigsResource resource : request.resources()) {
            order.add(resource);
            String problem = problem(nodeId, resource);
            if (problem == null) {
                rest.resources().add(resource.duplicate());
            } else {
                own.put(target(resource), answer(resource, Errors.INVALID_REQUEST, problem));
            }
        }
    }

    AlterConfigsRequestData forController() {
        return rest;
    }

    /** The controller's answer with this node's own, in the order of the request. */
    AlterConfigsResponseData answer(AlterConfigsResponseData ofController) {
        Map<ConfigTarget, AlterConfigsResourceResponse> all = new TreeMap<>(own);
        for (AlterConfigsResourceResponse each : ofController.responses()) {
            all.put(new ConfigTarget(each.resourceType(), each.resourceName()), each);
        }
        AlterConfigsResponseData answer = new AlterConfigsResponseData();
        for (AlterConfigsResource resource : order) {
            AlterConfigsResourceResponse of = all.get(target(resource));
            answer.responses().add(of == null ? answer(resource, Errors.UNKNOWN_SERVER_ERROR, null) : of.duplicate());
        }
        return answer;
    }

    /** null: for the controller. */
    private static String problem(int nodeId, AlterConfigsResource resource) {
        if (resource.resourceType() == ConfigTarget.BROKER_LOGGER) {
            return "log levels can only be changed one by one (IncrementalAlterConfigs)";
        }
        boolean broker = resource.resourceType() == ConfigTarget.BROKER
                && !resource.resourceName().isEmpty();
        return broker ? NodeName.problem(resource.resourceName(), nodeId) : null;
    }

    private static AlterConfigsResourceResponse answer(AlterConfigsResource resource, Errors error, String message) {
        return new AlterConfigsResourceResponse()
                .setResourceType(resource.resourceType())
                .setResourceName(resource.resourceName())
                .setErrorCode(error.code())
                .setErrorMessage(message);
    }

    private static ConfigTarget target(AlterConfigsResource resource) {
        return new ConfigTarget(resource.resourceType(), resource.resourceName());
    }
}
