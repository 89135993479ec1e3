package cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/** One incremental change of the settings of a topic or a broker, all or nothing. */
final class ConfigChange {

    private ConfigChange() {}

    static void apply(
            Admin admin,
            ConfigResource resource,
            Map<String, String> settings,
            List<String> deletions,
            Terminal terminal)
            throws InterruptedException, ExecutionException {
        List<AlterConfigOp> operations = new ArrayList<>();
        settings.forEach((key, value) ->
                operations.add(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
        deletions.forEach(
                key -> operations.add(new AlterConfigOp(new ConfigEntry(key, ""), AlterConfigOp.OpType.DELETE)));
        admin.incrementalAlterConfigs(Map.of(resource, operations)).all().get();
        settings.forEach((key, value) -> terminal.out().printf("set %s=%s%n", key, value));
        deletions.forEach(key -> terminal.out().printf("%s has its default again%n", key));
    }
}
