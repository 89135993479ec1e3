/**
 * Kafka's record schemas that kafka-clients does not carry, written here once so that external tools can read our files. Job: encode and decode, byte for
 * byte as Kafka. Owner thread: none; values and static functions. No ports. Start reading at {@link records.schemas.ProducerSnapshot} (a file) or
 * {@link records.schemas.GroupRecordCodec} (records of {@code __consumer_offsets}).
 */
package records.schemas;
