package storage;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;

/** Kafka's {@code meta.properties}, version 1: whose directory this is (rule S12). Fields are null when absent. */
record MetaProperties(String version, String clusterId, String nodeId, String directoryId) {

    static final String FILE_NAME = "meta.properties";
    static final String VERSION = "1";

    static MetaProperties parse(ByteBuffer content) {
        TreeMap<String, String> values = new TreeMap<>();
        for (String line :
                StandardCharsets.UTF_8.decode(content.duplicate()).toString().split("\n", -1)) {
            int equals = line.indexOf('=');
            if (!line.startsWith("#") && equals > 0) {
                values.put(
                        line.substring(0, equals).strip(),
                        line.substring(equals + 1).strip());
            }
        }
        return new MetaProperties(
                values.get("version"), values.get("cluster.id"), values.get("node.id"), values.get("directory.id"));
    }

    ByteBuffer image() {
        String cluster = clusterId == null ? "" : "cluster.id=" + clusterId + "\n";
        String text = cluster + "directory.id=" + directoryId + "\nnode.id=" + nodeId + "\nversion=" + version + "\n";
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
