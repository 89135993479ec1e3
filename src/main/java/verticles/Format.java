package verticles;

import common.Peers;
import config.BrokerConfig;
import config.Listener;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import node.NodeFormat;
import org.apache.kafka.common.Uuid;

/** {@code highwater format}: makes the log directories of a node before its first start. */
public final class Format {
    private final FormatOptions options;
    private final BrokerConfig config;
    private final PrintStream out;

    private Format(FormatOptions options, BrokerConfig config, PrintStream out) {
        this.options = options;
        this.config = config;
        this.out = out;
    }

    /** Ends the process with status 1 and one message that says what to change, if it cannot be done. */
    public static void main(String[] arguments) {
        try {
            run(System.out, arguments);
        } catch (StartException e) {
            System.err.println("highwater: cannot format: " + e.getMessage());
            System.exit(1);
        }
    }

    static void run(PrintStream out, String... arguments) {
        FormatOptions options = FormatOptions.parse(arguments);
        new Format(options, Main.config(options.settings()), out).all();
    }

    private void all() {
        String clusterId = clusterId();
        List<Uuid> directories = new ArrayList<>();
        for (int i = 0; i < config.storage().logDirs().size(); i++) {
            directories.add(isMetadata(i) ? metadataDirectory() : Uuid.randomUuid());
        }
        Uuid metadata = directories.get(
                config.storage().logDirs().indexOf(config.storage().metadataLogDir()));
        NodeFormat format = new NodeFormat(config, clusterId, founders(metadata), System.currentTimeMillis());
        for (int i = 0; i < directories.size(); i++) {
            one(format, i, directories.get(i), clusterId);
        }
    }

    private boolean isMetadata(int index) {
        return config.storage().logDirs().get(index).equals(config.storage().metadataLogDir());
    }

    /** Others may know it already, by the list that all of them are given. */
    private Uuid metadataDirectory() {
        return options.founders().stream()
                .filter(each -> each.id() == config.node().nodeId())
                .map(NodeFormat.Founder::directoryId)
                .findFirst()
                .orElseGet(Uuid::randomUuid);
    }

    private String clusterId() {
        String given = options.clusterId();
        String set = config.quorum().clusterId();
        if (given != null && set != null && !given.equals(set)) {
            throw new StartException("--cluster-id " + given + ": the settings say cluster.id=" + set);
        }
        if (given != null || set != null) {
            return given != null ? given : set;
        }
        if (options.joins()) {
            throw new StartException("--cluster-id is needed: which cluster does this node join? The ready line of its"
                    + " nodes says it");
        }
        return Uuid.randomUuid().toString();
    }

    private List<NodeFormat.Founder> founders(Uuid metadata) {
        boolean told =
                options.standalone() || options.joins() || !options.founders().isEmpty();
        boolean open = config.node().controller()
                && config.quorum().voters().isEmpty()
                && !config.quorum().alone();
        if (told && !config.quorum().voters().isEmpty()) {
            throw new StartException(
                    "controller.quorum.voters is set, and says who votes: take it out of the settings, or"
                            + " give none of --standalone, --initial-controllers, --no-initial-controllers");
        }
        if (!told && open) {
            throw new StartException(
                    "who votes in the quorum that this controller belongs to? Give --standalone (it begins"
                            + " one, others are added later), --initial-controllers (several begin it together), or"
                            + " --no-initial-controllers (it joins one that is there)");
        }
        if (!options.standalone()) {
            return options.founders();
        }
        if (!config.node().controller() || config.node().controllerListeners().isEmpty()) {
            throw new StartException(
                    "--standalone: this node is no controller that others could reach; see process.roles"
                            + " and controller.listener.names");
        }
        return List.of(NodeFormat.alone(config, metadata, Format::reachable));
    }

    private static Peers.Address reachable(Listener listener) {
        boolean everywhere = listener.host() == null
                || listener.host().equals("0.0.0.0")
                || listener.host().equals("::");
        if (listener.port() == 0) {
            throw new StartException(
                    "listener " + listener.name() + " has a free port, which others cannot know: choose one");
        }
        return new Peers.Address(everywhere ? Doors.machine() : listener.host(), listener.port());
    }

    private void one(NodeFormat format, int index, Uuid directoryId, String clusterId) {
        Path path =
                Path.of(config.storage().logDirs().get(index)).toAbsolutePath().normalize();
        boolean made;
        try {
            Files.createDirectories(path);
            made = format.directory(isMetadata(index), directoryId).run(new RealFileSystem(path));
        } catch (IOException e) {
            throw new StartException("log directory " + path + ": " + e.getMessage());
        }
        if (made) {
            out.println("formatted " + path + ": cluster.id=" + clusterId + " node.id="
                    + config.node().nodeId() + " directory.id=" + directoryId);
        } else if (options.ignoresFormatted()) {
            out.println("left " + path + " as it is: it was formatted before");
        } else {
            throw new StartException("log directory " + path
                    + " is formatted already. --ignore-formatted leaves it as it is" + " and formats the others");
        }
    }
}
