package controller;

import config.ConfigKey;
import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import metadata.ConfigTarget;
import metadata.Features;
import metadata.MetadataImage;
import metadata.MetadataRecords;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.Errors;

/** IncrementalAlterConfigs and AlterConfigs: each resource takes effect whole or not at all. */
final class ConfigChanges {

    private final ResourceRules rules;

    ConfigChanges(ResourceRules rules) {
        this.rules = rules;
    }

    /** One key's change: {@code value} is null for DELETE. */
    private record Change(String key, OpType operation, String value) {}

    Decision<IncrementalAlterConfigsResponseData> decide(
            MetadataImage image, IncrementalAlterConfigsRequestData request) {
        Draft draft = new Draft(image);
        IncrementalAlterConfigsResponseData answer = new IncrementalAlterConfigsResponseData();
        Map<ConfigTarget, Integer> counts = new LinkedHashMap<>();
        request.resources()
                .forEach(resource -> counts.merge(
                        new ConfigTarget(resource.resourceType(), resource.resourceName()), 1, Integer::sum));
        Set<ConfigTarget> answered = new LinkedHashSet<>();
        for (IncrementalAlterConfigsRequestData.AlterConfigsResource resource : request.resources()) {
            ConfigTarget target = new ConfigTarget(resource.resourceType(), resource.resourceName());
            if (!answered.add(target)) {
                continue;
            }
            AlterConfigsResourceResponse result = new AlterConfigsResourceResponse()
                    .setResourceType(target.type())
                    .setResourceName(target.name())
                    .setErrorMessage(null);
            try {
                once(counts.get(target));
                draft.add(change(draft.image(), target, changes(resource), false));
            } catch (Refusal refusal) {
                result.setErrorCode(refusal.error().code()).setErrorMessage(refusal.getMessage());
            }
            answer.responses().add(result);
        }
        return request.validateOnly() ? Decision.unchanged(answer) : draft.decide(answer);
    }

    Decision<AlterConfigsResponseData> decide(MetadataImage image, AlterConfigsRequestData request) {
        Draft draft = new Draft(image);
        AlterConfigsResponseData answer = new AlterConfigsResponseData();
        Map<ConfigTarget, Integer> counts = new LinkedHashMap<>();
        request.resources()
                .forEach(resource -> counts.merge(
                        new ConfigTarget(resource.resourceType(), resource.resourceName()), 1, Integer::sum));
        Set<ConfigTarget> answered = new LinkedHashSet<>();
        for (AlterConfigsResource resource : request.resources()) {
            ConfigTarget target = new ConfigTarget(resource.resourceType(), resource.resourceName());
            if (!answered.add(target)) {
                continue;
            }
            AlterConfigsResponseData.AlterConfigsResourceResponse result =
                    new AlterConfigsResponseData.AlterConfigsResourceResponse()
                            .setResourceType(target.type())
                            .setResourceName(target.name())
                            .setErrorMessage(null);
            try {
                once(counts.get(target));
                List<Change> changes = new ArrayList<>();
                resource.configs()
                        .forEach(config -> changes.add(new Change(config.name(), OpType.SET, config.value())));
                draft.add(change(draft.image(), target, changes, true));
            } catch (Refusal refusal) {
                result.setErrorCode(refusal.error().code()).setErrorMessage(refusal.getMessage());
            }
            answer.responses().add(result);
        }
        return request.validateOnly() ? Decision.unchanged(answer) : draft.decide(answer);
    }

    private static void once(int count) throws Refusal {
        if (count > 1) {
            throw new Refusal(Errors.INVALID_REQUEST, "Each resource must appear at most once.");
        }
    }

    private static List<Change> changes(IncrementalAlterConfigsRequestData.AlterConfigsResource resource)
            throws Refusal {
        List<Change> changes = new ArrayList<>();
        for (AlterableConfig config : resource.configs()) {
            OpType operation = OpType.forId(config.configOperation());
            if (operation == null) {
                throw new Refusal(Errors.INVALID_REQUEST, "Unknown operation type " + config.configOperation());
            }
            changes.add(new Change(config.name(), operation, operation == OpType.DELETE ? null : config.value()));
        }
        return changes;
    }

    /** @param replace keys that are not named go back to their defaults */
    private List<MetadataRecord> change(MetadataImage image, ConfigTarget target, List<Change> changes, boolean replace)
            throws Refusal {
        checkForm(changes);
        rules.checkResource(image, target);
        Map<String, String> before = image.configs(target);
        TreeMap<String, String> after = new TreeMap<>(replace ? Map.of() : before);
        for (Change change : changes) {
            String value = valueAfter(target, change, before.get(change.key()));
            if (value == null) {
                after.remove(change.key());
            } else {
                after.put(change.key(), value);
            }
        }
        checkMinIsr(image, target, changes, after);
        rules.checkSettings(target, after);
        List<MetadataRecord> records = new ArrayList<>();
        TreeSet<String> keys = new TreeSet<>(before.keySet());
        keys.addAll(after.keySet());
        for (String key : keys) {
            String value = after.get(key);
            if (value == null || !value.equals(before.get(key))) {
                records.add(MetadataRecords.config(target, key, value));
            }
        }
        return records;
    }

    /** Brokers that differ in it would not agree on which replicas may lead (KIP-966). */
    private static void checkMinIsr(
            MetadataImage image, ConfigTarget target, List<Change> changes, Map<String, String> after) throws Refusal {
        if (target.type() != ConfigTarget.BROKER || image.features().level(Features.ELIGIBLE_LEADERS) == 0) {
            return;
        }
        if (target.name().isEmpty()) {
            if (!after.containsKey(Features.MIN_ISR)) {
                throw new Refusal(
                        Errors.INVALID_CONFIG,
                        "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.");
            }
        } else if (changes.stream().anyMatch(each -> each.key().equals(Features.MIN_ISR))) {
            throw new Refusal(
                    Errors.INVALID_CONFIG, "Broker-level min.insync.replicas cannot be altered while ELR is enabled.");
        }
    }

    private static void checkForm(List<Change> changes) throws Refusal {
        Set<String> keys = new LinkedHashSet<>();
        List<String> empty = new ArrayList<>();
        for (Change change : changes) {
            if (!keys.add(change.key())) {
                throw new Refusal(Errors.INVALID_REQUEST, "Error due to duplicate config keys");
            }
            if (change.value() == null && change.operation() != OpType.DELETE) {
                empty.add(change.key());
            }
        }
        if (!empty.isEmpty()) {
            throw new Refusal(Errors.INVALID_REQUEST, "Null value not supported for : " + String.join(",", empty));
        }
    }

    /** null: the key is not set any more. */
    private static String valueAfter(ConfigTarget target, Change change, String current) throws Refusal {
        if (change.operation() == OpType.SET || change.operation() == OpType.DELETE) {
            return change.value();
        }
        ConfigKey key = ResourceRules.key(target.type(), change.key());
        if (key == null || !key.list()) {
            throw new Refusal(
                    Errors.INVALID_CONFIG,
                    "Can't " + change.operation() + " to key " + change.key() + " because its type is not LIST.");
        }
        List<String> values = parts(current != null ? current : key.defaultText());
        for (String part : parts(change.value())) {
            if (change.operation() == OpType.SUBTRACT) {
                values.remove(part);
            } else if (!values.contains(part)) {
                values.add(part);
            }
        }
        return String.join(",", values);
    }

    private static List<String> parts(String value) {
        List<String> parts = new ArrayList<>();
        if (value != null && !value.isBlank()) {
            Arrays.stream(value.split(",", -1)).map(String::trim).forEach(parts::add);
        }
        return parts;
    }
}
