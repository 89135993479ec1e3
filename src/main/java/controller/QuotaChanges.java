package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import metadata.MetadataImage;
import metadata.MetadataRecords;
import metadata.QuotaEntity;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntityData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntryData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.OpData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.protocol.Errors;

/** AlterClientQuotas (KIP-546, KIP-599, KIP-612): checked and stored; each entity takes effect whole or not at all. */
final class QuotaChanges {

    private enum Kind {
        INT,
        LONG,
        DOUBLE
    }

    /** A literal address or a host name by its form: names are not looked up, which would block. */
    private static final Pattern HOST =
            Pattern.compile("[0-9A-Za-z]([0-9A-Za-z._:%-]*[0-9A-Za-z])?|::[0-9A-Fa-f:.]*|[0-9A-Fa-f:]+::");

    Decision<AlterClientQuotasResponseData> decide(MetadataImage image, AlterClientQuotasRequestData request) {
        Draft draft = new Draft(image);
        AlterClientQuotasResponseData answer = new AlterClientQuotasResponseData();
        Map<QuotaEntity, AlterClientQuotasResponseData.EntryData> answered = new TreeMap<>();
        for (EntryData entry : request.entries()) {
            AlterClientQuotasResponseData.EntryData before = answered.get(entity(entry));
            if (before != null) {
                // As in Kafka, what was asked first is done, and the answer says that it was asked twice.
                before.setErrorCode(Errors.INVALID_REQUEST.code())
                        .setErrorMessage("the request has this entity more than once; only the first was taken");
                continue;
            }
            AlterClientQuotasResponseData.EntryData result =
                    new AlterClientQuotasResponseData.EntryData().setErrorMessage(null);
            for (EntityData part : entry.entity()) {
                result.entity()
                        .add(new AlterClientQuotasResponseData.EntityData()
                                .setEntityType(part.entityType())
                                .setEntityName(part.entityName()));
            }
            try {
                draft.add(change(draft.image(), entry));
            } catch (Refusal refusal) {
                result.setErrorCode(refusal.error().code()).setErrorMessage(refusal.getMessage());
            }
            answer.entries().add(result);
            answered.put(entity(entry), result);
        }
        return request.validateOnly() ? Decision.unchanged(answer) : draft.decide(answer);
    }

    private static QuotaEntity entity(EntryData entry) {
        Map<String, String> parts = new TreeMap<>();
        entry.entity().forEach(part -> parts.put(part.entityType(), part.entityName()));
        return QuotaEntity.of(parts);
    }

    private static List<MetadataRecord> change(MetadataImage image, EntryData entry) throws Refusal {
        Map<String, String> parts = new TreeMap<>();
        for (EntityData part : entry.entity()) {
            require(!parts.containsKey(part.entityType()), "Duplicate entity type " + part.entityType());
            parts.put(part.entityType(), part.entityName());
        }
        checkEntity(parts);
        QuotaEntity entity = QuotaEntity.of(parts);
        Map<String, Double> before = image.quotas(entity);
        TreeMap<String, Double> after = new TreeMap<>(before);
        TreeMap<String, Double> changed = new TreeMap<>();
        for (OpData operation : entry.ops()) {
            if (operation.remove()) {
                after.remove(operation.key());
            } else {
                checkValue(parts, operation.key(), operation.value());
                after.put(operation.key(), operation.value());
            }
            changed.put(operation.key(), 0.0);
        }
        List<MetadataRecord> records = new ArrayList<>();
        for (String key : changed.keySet()) {
            Double value = after.get(key);
            Double old = before.get(key);
            if (value == null ? old != null : !value.equals(old)) {
                records.add(MetadataRecords.quota(entity, key, value));
            }
        }
        return records;
    }

    private static void checkEntity(Map<String, String> parts) throws Refusal {
        require(!parts.isEmpty(), "Invalid empty client quota entity");
        for (Map.Entry<String, String> part : parts.entrySet()) {
            String type = part.getKey();
            boolean known =
                    type.equals(QuotaEntity.USER) || type.equals(QuotaEntity.CLIENT_ID) || type.equals(QuotaEntity.IP);
            require(known, "Unhandled client quota entity type: " + type);
            require(part.getValue() == null || !part.getValue().isEmpty(), "Empty " + type + " not supported");
        }
        boolean ip = parts.containsKey(QuotaEntity.IP);
        require(
                !ip || parts.size() == 1,
                "Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId");
        String address = parts.get(QuotaEntity.IP);
        require(address == null || HOST.matcher(address).matches(), address + " is not a valid IP or resolvable host.");
    }

    /** null: no such quota for entities of this sort. */
    private static Kind kind(boolean ip, String key) {
        return switch (key) {
            case "connection_creation_rate" -> ip ? Kind.INT : null;
            case "producer_byte_rate", "consumer_byte_rate" -> ip ? null : Kind.LONG;
            case "request_percentage", "controller_mutation_rate" -> ip ? null : Kind.DOUBLE;
            default -> null;
        };
    }

    private static void checkValue(Map<String, String> parts, String key, double value) throws Refusal {
        Kind kind = kind(parts.containsKey(QuotaEntity.IP), key);
        require(kind != null, "Invalid configuration key " + key);
        require(Double.isFinite(value), "Quota " + key + " must be a finite number");
        require(value > 0, "Quota " + key + " must be greater than 0");
        if (kind == Kind.DOUBLE) {
            return;
        }
        double most = kind == Kind.INT ? Integer.MAX_VALUE : Long.MAX_VALUE;
        require(
                value <= most,
                "Proposed value for " + key + " is too large for " + (kind == Kind.INT ? "an INT." : "a LONG."));
        require(value == Math.rint(value), key + " cannot be a fractional value.");
    }

    private static void require(boolean holds, String message) throws Refusal {
        if (!holds) {
            throw new Refusal(Errors.INVALID_REQUEST, message);
        }
    }
}
