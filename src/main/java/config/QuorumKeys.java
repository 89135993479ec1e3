package config;

import static config.KeyTable.atLeast;
import static config.KeyTable.between;

import java.util.List;

/** Keys of {@link QuorumConfig}: who decides about the metadata, and how long consensus waits. */
final class QuorumKeys {

    private QuorumKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(QuorumConfig.class);
        keys.string(
                "cluster.id",
                null,
                null,
                "Id of the cluster that this node belongs to. Not given: the first leader makes one, the other nodes learn it."
                        + " (Not a key of Kafka: its id is given to kafka-storage format.)");
        keys.list(
                "controller.quorum.voters",
                "",
                null,
                "Voters of the controller quorum, id@host:port with commas between, the same on all nodes; in force until voters are added or removed.");
        keys.list(
                "controller.quorum.bootstrap.servers",
                "",
                null,
                "Where controllers are found, host:port with commas between; who votes then stands in the metadata log.");
        keys.bool(
                "controller.quorum.auto.join.enable",
                false,
                "A controller that is no voter asks to be one. One named in controller.quorum.voters that comes back with an empty disk takes the"
                        + " place of its former self in any case.");
        keys.int32(
                "controller.quorum.election.timeout.ms",
                1000,
                atLeast(0),
                "An election without a verdict is given up after one to two times this.");
        keys.int32(
                "controller.quorum.fetch.timeout.ms",
                1000,
                atLeast(0),
                "A voter that gets no answer of the active controller for this time asks the others whether they would vote for it; an active controller that is"
                        + " not asked by a majority for 1.5 times this resigns. Kafka's default is 2000.");
        keys.int32(
                "controller.quorum.election.backoff.max.ms",
                1000,
                atLeast(0),
                "Most that is waited after a lost election.");
        keys.int32(
                "controller.quorum.request.timeout.ms",
                2000,
                atLeast(0),
                "A request between controllers that is not answered in this time has failed.");
        keys.int32(
                "controller.quorum.retry.backoff.ms",
                20,
                atLeast(0),
                "Wait between a failed request to a controller and the next one.");
        keys.bool(
                "cluster.hints.enable",
                true,
                "Nodes of a cluster also watch each other by Hazelcast, and have the active controller look at once at one that vanished; without that it"
                        + " is noticed a little later. New: Kafka has no such thing. A node alone has none of it.");
        keys.int32(
                "cluster.hints.port.offset",
                10000,
                between(1, 65000),
                "Hazelcast listens where the controllers' listener does (on a broker alone: the inter-broker listener), on its port plus this; the same on all"
                        + " nodes. New.");
        return keys.list();
    }
}
