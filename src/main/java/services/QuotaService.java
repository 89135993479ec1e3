package services;

import common.Callback;
import common.Mailboxes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import metadata.QuotaEntity;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Client quotas as stored in the metadata, for every door. One instance per server instance, confined to its owner. */
public final class QuotaService {
    /** Kafka's numbers of the ways in which a filter's component may match (KIP-546). */
    private static final byte EXACT = 0;

    private static final byte DEFAULT = 1;
    private static final byte ANY = 2;

    private final ControllerCalls controller;
    private final long timeoutMillis;

    /** @param timeoutMillis of a change, > 0 */
    public QuotaService(Mailboxes mailboxes, long timeoutMillis) {
        this.controller = new ControllerCalls(mailboxes);
        this.timeoutMillis = timeoutMillis;
    }

    /** @param match 0: the entity called {@code name}, 1: the default entity of the type, 2: any of the type; the name is null with 1 and 2 */
    public record Component(String type, byte match, String name) {}

    public record Entry(QuotaEntity entity, Map<String, Double> values) {}

    /** Either entries, or an error with a message. */
    public record Found(List<Entry> entries, Errors error, String message) {}

    /** The entities that every component matches; with {@code strict} only those that have no other types. */
    public Found describe(MetadataImage image, List<Component> filter, boolean strict) {
        Map<String, Component> byType = new TreeMap<>();
        for (Component component : filter) {
            Found refused = check(component, byType);
            if (refused != null) {
                return refused;
            }
            byType.put(component.type(), component);
        }
        if (byType.containsKey(QuotaEntity.IP) && byType.size() > 1) {
            return refused(Errors.INVALID_REQUEST, "an ip cannot be combined with a user or client-id");
        }
        List<Entry> entries = new ArrayList<>();
        for (QuotaEntity entity : image.quotaEntities()) {
            if (matches(entity.parts(), byType, strict)) {
                entries.add(new Entry(entity, image.quotas(entity)));
            }
        }
        return new Found(entries, Errors.NONE, null);
    }

    /** Errors per entity stand in the answer. */
    public void alter(AlterClientQuotasRequestData request, Callback<AlterClientQuotasResponseData> done) {
        controller.call((owner, reply) -> owner.alterClientQuotas(request, reply), timeoutMillis, done);
    }

    private static Found check(Component component, Map<String, Component> before) {
        String type = component.type();
        if (type.isEmpty()) {
            return refused(Errors.INVALID_REQUEST, "a component of the filter has no entity type");
        }
        if (before.containsKey(type)) {
            return refused(Errors.INVALID_REQUEST, "the filter has entity type " + type + " twice");
        }
        if (!type.equals(QuotaEntity.USER) && !type.equals(QuotaEntity.CLIENT_ID) && !type.equals(QuotaEntity.IP)) {
            return refused(
                    Errors.UNSUPPORTED_VERSION, "unknown entity type " + type + "; known are user, client-id, ip");
        }
        if (component.match() < EXACT || component.match() > ANY) {
            return refused(Errors.INVALID_REQUEST, "unknown match type " + component.match());
        }
        if ((component.match() == EXACT) != (component.name() != null)) {
            return refused(Errors.INVALID_REQUEST, "a name goes with an exact match, and only with one");
        }
        return null;
    }

    private static boolean matches(Map<String, String> entity, Map<String, Component> filter, boolean strict) {
        if (strict && entity.size() != filter.size()) {
            return false;
        }
        for (Component component : filter.values()) {
            if (!entity.containsKey(component.type())) {
                return false;
            }
            String name = entity.get(component.type());
            if (component.match() == EXACT && !component.name().equals(name)) {
                return false;
            }
            if (component.match() == DEFAULT && name != null) {
                return false;
            }
        }
        return true;
    }

    private static Found refused(Errors error, String message) {
        return new Found(null, error, message);
    }
}
