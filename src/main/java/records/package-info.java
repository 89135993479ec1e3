/**
 * Kafka's record batches, format v2. Job: read and patch the 61-byte batch header in place, check what a producer sent, walk and rebuild batches, make
 * the batches that the broker itself writes. Owner thread: none; static functions, or small objects confined to one thread at a time. No ports. The only
 * package (with protocol and security) that may know the record and compression internals of kafka-clients. Start reading at
 * {@link records.BatchHeader}, then {@link records.BatchValidator}.
 */
package records;
