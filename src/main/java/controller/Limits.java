package controller;

/** Bounds of one request, as Kafka 4.4.0 has them. */
final class Limits {

    /** New partitions in one request. */
    static final int PARTITIONS_PER_REQUEST = 10_000;

    /** Records that one request may make. */
    static final int RECORDS_PER_REQUEST = 10_000;

    /** Ids in one block given by AllocateProducerIds. */
    static final int PRODUCER_ID_BLOCK = 1_000;

    static final String TOO_MANY_PARTITIONS = "Excessively large number of partitions per request.";
    static final String TOO_MANY_MORE_PARTITIONS = "Excessively large number of additional partitions per request.";
    static final String TOO_MANY_RECORDS = "Unable to perform excessively large batch operation.";

    private Limits() {}
}
