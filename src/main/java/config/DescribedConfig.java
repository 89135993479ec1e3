package config;

import java.util.List;

/**
 * One configuration entry as DescribeConfigs shows it, in the protocol's numbers.
 *
 * @param value null when unset, and for sensitive ones
 * @param source Kafka's ConfigSource id: 1 topic, 2 dynamic broker, 3 dynamic default broker, 4 static broker, 5 default, 6 dynamic broker logger,
 *     7 client metrics, 8 group
 * @param type Kafka's ConfigType id: 1 boolean, 2 string, 3 int, 4 short, 5 long, 6 double, 7 list, 8 class, 9 password
 * @param synonyms where the value may come from, strongest first
 */
public record DescribedConfig(
        String name,
        String value,
        byte source,
        byte type,
        boolean readOnly,
        boolean sensitive,
        String documentation,
        List<Synonym> synonyms) {

    public record Synonym(String name, String value, byte source) {}
}
