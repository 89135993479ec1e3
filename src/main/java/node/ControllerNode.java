package node;

import common.Callback;
import common.Ports;
import config.BrokerConfig;
import controller.Controller;
import metadata.MetadataImage;
import storage.DiskExecutor;
import storage.LogContext;
import storage.LogStart;
import storage.PartitionLog;

/** SKELETON as NodeAssembly uses it; the owner of the controller replaces it. */
abstract class ControllerNode implements Controller {

    record Setup(
            Ports ports,
            LogContext context,
            LogStart start,
            DiskExecutor disk,
            BrokerConfig config,
            String clusterId,
            String directoryId,
            boolean cleanStop,
            MetadataPublisher publisher) {}

    /**
     * After an unclean stop (cleanStop false) the registration's commit also raises the leader epoch of every partition of this broker by one: in memory mode a
     * tail may be lost, and an offset must not come back with other content under the same epoch (rules I11, KIP-320). Loads the metadata log, becomes leader of the quorum, registers this broker; publishes nothing yet. */
    static void open(Setup setup, Callback<ControllerNode> done) {
        throw new UnsupportedOperationException("to come: " + setup + done);
    }

    abstract PartitionLog log();

    abstract MetadataImage image();

    /** Publishes the image for the first time, and from then on each committed one. */
    abstract void publish(Callback<Void> done);

    abstract void stop(Callback<Void> done);
}
