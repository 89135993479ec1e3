/**
 * Assembles machines into a broker, from ports only: the simulator runs the same assembly as {@code verticles}. Owners live
 * here: {@link node.StorageShard} (its partitions' logs and replicas), {@link node.ControllerNode} (decisions; its
 * {@link node.MetadataReplica} hosts the replica of the metadata log), and what passes between them, such as the publication of images. Each owner's calls come on its own thread;
 * they talk by {@code common.Mailboxes} with values. Ports: all of {@code common}, {@code storage.DiskExecutor}, and
 * {@link node.NodeHost}, what a node asks of its host. Start reading at {@link node.NodeAssembly}.
 */
package node;
