package verticles;

import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.NetworkConfig;
import io.vertx.spi.cluster.hazelcast.ConfigUtil;
import java.util.Map;

/**
 * Hazelcast's settings: members by address only, bound to one address, nothing sent to anybody else, few threads, and a member that says nothing for three
 * seconds, or whose connection ends, is gone.
 */
final class HintNetwork {
    /** The attribute of a member that holds the id of its node. */
    static final String NODE = "node";

    private static final Map<String, String> PROPERTIES = Map.ofEntries(
            Map.entry("hazelcast.phone.home.enabled", "false"),
            Map.entry("hazelcast.shutdownhook.enabled", "false"),
            Map.entry("hazelcast.socket.bind.any", "false"),
            Map.entry("hazelcast.socket.server.bind.any", "false"),
            Map.entry("hazelcast.socket.client.bind.any", "false"),
            Map.entry("hazelcast.heartbeat.interval.seconds", "1"),
            Map.entry("hazelcast.max.no.heartbeat.seconds", "3"),
            Map.entry("hazelcast.connection.monitor.interval", "100"),
            Map.entry("hazelcast.connection.monitor.max.faults", "1"),
            Map.entry("hazelcast.merge.first.run.delay.seconds", "5"),
            Map.entry("hazelcast.merge.next.run.delay.seconds", "5"),
            Map.entry("hazelcast.graceful.shutdown.max.wait", "1"),
            Map.entry("hazelcast.health.monitoring.level", "OFF"),
            Map.entry("hazelcast.partition.count", "11"),
            Map.entry("hazelcast.operation.thread.count", "2"),
            Map.entry("hazelcast.operation.generic.thread.count", "2"),
            Map.entry("hazelcast.io.thread.count", "1"),
            Map.entry("hazelcast.event.thread.count", "1"),
            Map.entry("hazelcast.clientengine.thread.count", "1"),
            Map.entry("hazelcast.clientengine.query.thread.count", "1"),
            Map.entry("hazelcast.clientengine.blocking.thread.count", "1"));

    private HintNetwork() {}

    static Config of(HintPlace place) {
        Config config = ConfigUtil.loadConfig();
        config.setClusterName(place.group());
        config.getMemberAttributeConfig().setAttribute(NODE, String.valueOf(place.nodeId()));
        PROPERTIES.forEach(config::setProperty);
        config.getMetricsConfig().setEnabled(false);
        config.getJetConfig().setEnabled(false);
        NetworkConfig network = config.getNetworkConfig();
        network.setPort(place.port()).setPortAutoIncrement(false).setPublicAddress(place.address());
        network.getInterfaces().setEnabled(true).addInterface(place.address());
        JoinConfig join = network.getJoin();
        join.getMulticastConfig().setEnabled(false);
        join.getAutoDetectionConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).setConnectionTimeoutSeconds(2);
        place.members().forEach(join.getTcpIpConfig()::addMember);
        // Members hand each other Java objects: none but those of Hazelcast and Vert.x are made of what comes in.
        config.getSerializationConfig().setJavaSerializationFilterConfig(new JavaSerializationFilterConfig());
        return config;
    }
}
