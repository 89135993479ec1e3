package transaction;

/** Who speaks: a transactional id, and the producer id and epoch that the speaker believes to be its own. */
public record Producer(String transactionalId, long producerId, short epoch) {}
