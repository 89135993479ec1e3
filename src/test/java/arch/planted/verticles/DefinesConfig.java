package arch.planted.verticles;

import arch.Breaks;
import org.apache.kafka.common.config.ConfigDef;

@Breaks("R5")
final class DefinesConfig {
    ConfigDef define() {
        return new ConfigDef();
    }
}
