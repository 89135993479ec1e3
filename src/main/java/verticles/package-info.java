/**
 * The hosts: everything that knows Vert.x, Netty, threads, files and sockets. Job: give each single-threaded machine its event loop, and real
 * implementations of the ports it was written against; nothing here decides what is true of a log or a cluster.
 *
 * <p>Owner threads: one event loop per storage shard (shared by a server instance and the controller when there are fewer loops than owners), one thread
 * {@code disk-<dir>} per log directory, a small blocking pool, one thread for long computation. Start reading at
 * {@code Main}, then {@code KafkaServerVerticle}.
 */
package verticles;
