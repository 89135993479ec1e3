package config;

import static config.KeyTable.atLeast;
import static config.KeyTable.oneOf;
import static config.KeyTable.subsetOf;

import java.util.List;

/** Keys of {@link NodeConfig}: who the node is and where it listens. */
final class NodeKeys {

    private NodeKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(NodeConfig.class);
        keys.list(
                "process.roles",
                "broker,controller",
                subsetOf("broker", "controller"),
                "What this process is: broker keeps partitions and serves clients, controller votes about the metadata. Default: both.");
        keys.int32("node.id", 1, atLeast(0), "Id of this node, 0 or more. Default 1.");
        keys.int32("broker.id", -1, null, "Old name of node.id; if both are given they must agree.");
        keys.string("broker.rack", null, null, "Rack of this node, told to clients.");
        keys.list(
                "listeners",
                "PLAINTEXT://127.0.0.1:9092",
                null,
                "Addresses to listen on, NAME://host:port with commas between. An empty host means all addresses, port 0 a free one.");
        keys.list(
                "advertised.listeners",
                null,
                null,
                "Addresses that clients are told. Not given: each client is told the local address of its own connection.");
        keys.string(
                "listener.security.protocol.map",
                "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
                null,
                "Security protocol of each listener name, NAME:PROTOCOL with commas between.");
        keys.list(
                "controller.listener.names",
                "",
                null,
                "Names of the listeners of the controller role; by the first of them nodes reach controllers.");
        keys.string(
                "inter.broker.listener.name",
                null,
                null,
                "Listener by which brokers reach one another. Not given: PLAINTEXT, or else the first one for clients.");
        keys.string(
                "security.inter.broker.protocol",
                "PLAINTEXT",
                oneOf("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
                "Old way to choose the inter-broker listener, by protocol.");
        return keys.list();
    }
}
