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
                "What this process is. Allowed: broker,controller (both; the default). One role alone needs a quorum of several nodes.");
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
                "Names of the listeners of the controller role; they are not opened while the quorum has one voter.");
        keys.string("inter.broker.listener.name", null, null, "Listener that nodes use among themselves.");
        keys.string(
                "security.inter.broker.protocol",
                "PLAINTEXT",
                oneOf("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
                "Old way to choose the inter-broker listener, by protocol.");
        keys.list(
                "controller.quorum.voters",
                "",
                null,
                "Voters of the controller quorum, id@host:port. Allowed for now: this node alone.");
        keys.list(
                "controller.quorum.bootstrap.servers",
                "",
                null,
                "Where the controller quorum is found, host:port. Allowed for now: one address, this node.");
        return keys.list();
    }
}
