package sim;

import config.LogConfig;
import java.util.LinkedHashMap;
import java.util.Map;

/** Settings of logs under test: tiny segments that roll every few batches; all else Kafka's defaults. */
public final class SimLogConfig {
    private SimLogConfig() {}

    /** @param settings more keys and values, in pairs */
    public static LogConfig tiny(boolean durable, String... settings) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("internal.segment.bytes", "700");
        all.put("index.interval.bytes", "100");
        all.put("file.delete.delay.ms", "1000");
        if (durable) {
            all.put("flush.messages", "1");
        }
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        return LogConfig.of(all);
    }
}
