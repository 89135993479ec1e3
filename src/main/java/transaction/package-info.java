/**
 * The transaction coordinator: one {@link transaction.TransactionShard} per partition of {@code __transaction_state} that is led here, on the coordinator runtime.
 * What is known of a transactional id is one immutable value that only replaying a record replaces; requests look at it and yield the next record. The rules T1
 * to T13 of the design say what must hold.
 *
 * <p>Owner: the loop of the partition's storage shard. Port: {@link transaction.MarkerWriter}. Start with {@link transaction.Ending}.
 */
package transaction;
