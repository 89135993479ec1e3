package services;

import common.Mailboxes;
import metadata.MetadataImage;
import org.apache.kafka.common.internals.Topic;
import transaction.TransactionCoordinator;
import transaction.TransactionShard;

/** The transaction coordinators of this node, by transactional id. */
public final class TransactionCoordinators extends CoordinatorCalls<TransactionCoordinator, TransactionShard> {

    public TransactionCoordinators(Mailboxes mailboxes, int loops) {
        super(mailboxes, Topic.TRANSACTION_STATE_TOPIC_NAME, TransactionCoordinator.class, loops);
    }

    /** The partition of __transaction_state that keeps a transactional id; -1 while there is no such topic. */
    public static int partitionOf(String transactionalId, MetadataImage image) {
        return partitionOf(Topic.TRANSACTION_STATE_TOPIC_NAME, transactionalId, image);
    }
}
