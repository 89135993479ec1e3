package config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Writes docs/configuration.md and conf/broker.properties from the table of keys, so that they cannot tell anything else than the code (R10). */
public final class ConfigurationDocs {

    private static final int COMMENT_WIDTH = 118;

    private ConfigurationDocs() {}

    /** docs/configuration.md. */
    public static String markdown() {
        StringBuilder out = new StringBuilder();
        out.append("# Configuration\n\n");
        out.append(
                "Generated from the table of keys (`config/BrokerKeys`, `config/TopicKeys`); do not edit. Names, defaults and bounds"
                        + " are those of Apache Kafka 4.4.0; keys that Kafka does not have say why they exist.\n\n");
        out.append(
                "A properties file of a KRaft node (combined or of one role, static or dynamic quorum) starts Highwater unchanged: `bin/highwater start --config FILE"
                        + " [--override key=value]...`. Without a file it is one node of both roles that listens on 127.0.0.1:9092 only and keeps"
                        + " its data in the directory `data`. An unknown key, a wrong value or a conflict refuses to start, with all that is"
                        + " wrong at once.\n\n");
        out.append("## Broker keys in force\n\n");
        out.append(
                "`owner` is the one record of settings that reads the key. `change`: when it can be changed; *live* means with"
                        + " `kafka-configs --alter --entity-type brokers` while the broker runs.\n\n");
        out.append(
                "| key | type | default | allowed | owner | change | what it does |\n|---|---|---|---|---|---|---|\n");
        for (ConfigKey key : with(BrokerKeys.all(), ConfigKey.Standing.IN_FORCE)) {
            row(out, key, key.owner(), key.update() == ConfigKey.Update.READ_ONLY ? "restart" : "live");
        }
        out.append("\n## Topic keys\n\n");
        out.append(
                "Set with `--config` when a topic is created, or with `kafka-configs --alter --entity-type topics`; in force at once."
                        + " `broker default` is the broker key that gives the value to topics without one of their own.\n\n");
        out.append("| key | type | default | allowed | broker default | what it does |\n|---|---|---|---|---|---|\n");
        for (ConfigKey key : with(TopicKeys.all(), ConfigKey.Standing.IN_FORCE)) {
            row(out, key, synonyms(key));
        }
        out.append("\n## Topic keys that are refused for now\n\nOnly the default is accepted.\n\n");
        reasons(out, with(TopicKeys.all(), ConfigKey.Standing.REFUSED));
        out.append("\n## Topic keys without effect\n\nAccepted and checked.\n\n");
        reasons(out, with(TopicKeys.all(), ConfigKey.Standing.NO_EFFECT));
        out.append(
                "\n## Broker keys that are refused for now\n\nOnly the default is accepted: better no start than a wrong belief.\n\n");
        reasons(out, with(BrokerKeys.all(), ConfigKey.Standing.REFUSED));
        out.append(
                "\n## Broker keys without effect\n\nAccepted and checked, so that a file of Kafka's works; a value other than the default"
                        + " is noted in the log.\n\n");
        reasons(out, with(BrokerKeys.all(), ConfigKey.Standing.NO_EFFECT));
        return out.toString();
    }

    /** conf/broker.properties: all keys in force, commented out, with their defaults. */
    public static String properties() {
        StringBuilder out = new StringBuilder();
        out.append(
                "# Settings of a Highwater broker: every key that has an effect, with its default. Without any of them it is one node that\n");
        out.append(
                "# listens on 127.0.0.1:9092 only and keeps its data in the directory data. docs/configuration.md has all about them.\n");
        out.append("# Generated from the table of keys; tests check that it is current.\n");
        String owner = "";
        List<ConfigKey> keys = with(BrokerKeys.all(), ConfigKey.Standing.IN_FORCE);
        keys.sort((a, b) ->
                a.owner().equals(b.owner()) ? a.name().compareTo(b.name()) : Integer.compare(rank(a), rank(b)));
        for (ConfigKey key : keys) {
            if (!key.owner().equals(owner)) {
                owner = key.owner();
                out.append("\n# ---- ").append(title(key)).append('\n');
            }
            out.append('\n');
            comment(out, key.text() + (key.allowed().isEmpty() ? "" : " Allowed: " + key.allowed() + "."));
            out.append('#').append(key.name()).append('=');
            out.append(key.defaultText() == null ? "" : key.defaultText()).append('\n');
        }
        return out.toString();
    }

    private static final List<String> ORDER = List.of(
            "NodeConfig",
            "QuorumConfig",
            "StorageConfig",
            "TopicDefaults",
            "LogConfig",
            "CleanerConfig",
            "NetworkConfig",
            "RequestConfig",
            "GroupConfig",
            "TransactionConfig",
            "ControllerConfig",
            "ReplicationConfig",
            "MembershipConfig",
            "FetcherConfig");
    private static final List<String> TITLES = List.of(
            "the node and its addresses",
            "the quorum of controllers",
            "where and how data is kept",
            "topics",
            "defaults of topic settings",
            "log compaction",
            "connections",
            "requests",
            "consumer groups",
            "transactions",
            "the metadata log and the controller",
            "replication of partitions",
            "this broker in its cluster",
            "how followers fetch");

    private static int rank(ConfigKey key) {
        return ORDER.indexOf(key.owner());
    }

    private static String title(ConfigKey key) {
        return TITLES.get(rank(key));
    }

    private static void comment(StringBuilder out, String text) {
        StringBuilder line = new StringBuilder("#");
        for (String word : text.split(" ", -1)) {
            if (line.length() + 1 + word.length() > COMMENT_WIDTH) {
                out.append(line).append('\n');
                line = new StringBuilder("#");
            }
            line.append(' ').append(word);
        }
        out.append(line).append('\n');
    }

    private static List<ConfigKey> with(Collection<ConfigKey> keys, ConfigKey.Standing standing) {
        List<ConfigKey> found = new ArrayList<>();
        for (ConfigKey key : keys) {
            if (key.standing() == standing && !key.name().startsWith("internal.")) {
                found.add(key);
            }
        }
        return found;
    }

    private static void row(StringBuilder out, ConfigKey key, String... extra) {
        out.append("| `")
                .append(key.name())
                .append("` | ")
                .append(key.typeName())
                .append(" | ");
        out.append(value(key.defaultText()))
                .append(" | ")
                .append(escaped(key.allowed()))
                .append(" | ");
        for (String each : extra) {
            out.append(each).append(" | ");
        }
        out.append(escaped(key.text())).append(" |\n");
    }

    private static String synonyms(ConfigKey key) {
        List<String> names = new ArrayList<>();
        for (TopicKeys.Synonym synonym : TopicKeys.synonyms(key.name())) {
            names.add("`" + synonym.brokerKey() + "`");
        }
        return String.join(", ", names);
    }

    private static void reasons(StringBuilder out, List<ConfigKey> keys) {
        out.append("| key | type | default | why |\n|---|---|---|---|\n");
        for (ConfigKey key : keys) {
            out.append("| `")
                    .append(key.name())
                    .append("` | ")
                    .append(key.typeName())
                    .append(" | ");
            out.append(value(key.defaultText()))
                    .append(" | ")
                    .append(escaped(key.text()))
                    .append(" |\n");
        }
    }

    private static String value(String text) {
        if (text == null) {
            return "";
        }
        return text.isEmpty() ? "(empty)" : "`" + text + "`";
    }

    private static String escaped(String text) {
        return text.replace("|", "\\|").strip();
    }
}
