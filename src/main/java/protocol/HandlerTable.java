package protocol;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.ApiKeys;

/** The handlers of one server instance by API key; what is in here is what its {@link ApiVersionsHandler} advertises (rule R8). Immutable. */
public final class HandlerTable {
    private final ApiHandler[] byId;
    private final Map<Short, ApiHandler> handlers = new TreeMap<>();

    /** Two handlers of one key are a bug: IllegalArgumentException. */
    public HandlerTable(Collection<? extends ApiHandler> all) {
        int highest = 0;
        for (ApiHandler handler : all) {
            if (handlers.put(handler.key().id, handler) != null) {
                throw new IllegalArgumentException("two handlers for " + handler.key());
            }
            highest = Math.max(highest, handler.key().id);
        }
        byId = new ApiHandler[highest + 1];
        handlers.forEach((id, handler) -> byId[id] = handler);
        if (handlers.get(ApiKeys.API_VERSIONS.id) instanceof ApiVersionsHandler versions) {
            versions.advertise(List.copyOf(handlers.values()));
        }
    }

    /** null when there is none. */
    public ApiHandler get(int apiKey) {
        return apiKey >= 0 && apiKey < byId.length ? byId[apiKey] : null;
    }

    public ApiHandler get(ApiKeys key) {
        return get(key.id);
    }

    /** By key id. */
    public Collection<ApiHandler> all() {
        return Collections.unmodifiableCollection(handlers.values());
    }
}
