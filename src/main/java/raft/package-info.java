/**
 * The consensus machine of the metadata quorum: elections, votes, commit. Inputs are method calls, outputs are values that say what to persist before what is
 * sent or appended; no I/O, no clock. The quorum has one voter until the cluster exists, so there is nobody to send to. Owner thread: the controller's.
 * Start reading at {@link raft.RaftNode}; rules R1 to R16.
 */
package raft;
