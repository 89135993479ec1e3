package transaction;

import coordinator.Coordinator;

/** The transaction coordinators of one loop; its owner's name in messages. */
public interface TransactionCoordinator extends Coordinator<TransactionShard> {}
