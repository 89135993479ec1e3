/**
 * The consensus machine of the metadata quorum: elections with pre-votes, pull-based replication, commit, snapshots, changes of voters. Inputs are method
 * calls, outputs are values; what must be persisted before something is sent is held back here until the host says that it is. No I/O, no clock, no Kafka
 * classes. Owner thread: the controller's. Ports: {@link raft.RaftLog}, {@link common.RandomSource}, {@link common.Mutations}. Start reading at {@link
 * raft.RaftNode}, then {@link raft.Roles}; rules R1 to R16.
 */
package raft;
