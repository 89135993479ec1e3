/**
 * The deterministic simulator: fakes of every port, a disk with crash semantics, one-node worlds from a seed, and checkers. Job: run the real machines
 * without threads, real time or real files, so that a seed is a run. Owner thread: the caller's; nothing here is thread safe.
 *
 * <p>For the tests of a machine alone, start with {@link sim.SimHost}: {@code new SimHost(seed)} has a {@link sim.SimDisk}, and gives
 * {@code ports()}, {@code executor()}, {@code mailboxes()}. Drive time with {@code host.runFor(millis)} or {@code host.await(callback -> ...)};
 * {@code host.powerCut()} and {@code host.kill()} end the process and return its successor on the same disk. Faults are set on
 * {@code host.disk().faults(...)}.
 *
 * <ul>
 *   <li>{@link sim.SimScheduler} virtual time; ties between events at one instant are broken by the seed
 *   <li>{@link sim.SimDisk} what survives: a power cut keeps, drops or tears each unsynced 4 KiB piece, and keeps or drops unsynced names; a kill keeps all
 *   <li>{@link sim.SimFileSystem} one process' view of a disk; dead when the process is
 *   <li>{@link sim.SimDiskExecutor} lanes; jobs run at one instant, their callbacks are events later
 *   <li>{@link sim.DiskFaults} EIO, failed syncs, crashes at the n-th operation
 *   <li>LogLab, LogScript, LogAudit: one log with what a node does around it, a history of it, and all that must hold after a crash
 *   <li>SimRun, SimWorld, SimProfile: machines, a network and clients over the real codecs, from a seed ({@code bin/sim}); SimWorkload makes the clients,
 *       SimStorm the faults; PartitionLedger and SequenceJudge are black-box judges
 *   <li>SimDecisions: all that chance decided in a run, as a file; SimShrinker takes out what a failure does not need; SimTrace writes all that happens
 *   <li>SimMachine: one node over its incarnations (SimNode, SimNodeHost) with its disks and clock; SimNetwork, SimPath, SimStream: what is between two ends
 *   <li>SimGroups, SimClassicMember, SimConsumerMember, SimCommitter: groups and those without members; OffsetHistory, GenerationJudge and OwnershipJudge put
 *       together what they are told (rules G*)
 *   <li>{@link sim.SimMailboxes}, {@link sim.SimTimers}, {@link sim.SimClock}, {@link sim.SimRandom}, {@link sim.SimMetrics}
 * </ul>
 */
package sim;
