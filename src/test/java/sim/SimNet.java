package sim;

import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.CompressionType;

/** What clients know of the world: time, how to reach the broker, and where to report. */
interface SimNet {
    SimScheduler scheduler();

    /** A client's own wall clock. */
    long wallMillis();

    /** The codec of the next batch. */
    CompressionType compression();

    /** Opens a connection from the end {@code from} of the network to a node; null when nobody listens there. */
    SimWire connect(String from, int node, SimWire.ClientEnd client);

    /** How many nodes there are; the first is 0. */
    int nodes();

    /** A request was sent: the world may keep a copy as a ghost, or kill the connection. */
    void sent(ApiKeys key, byte[] frame);

    /** For people who look at one run. */
    void trace(String who, String what, ApiMessage message);

    /** A coverage counter. */
    void count(String what);

    /** Reports an id that the broker gave out; a broken rule (C7) if it was given before. */
    long newProducerId(long id);

    /** A node has said who leads what. */
    void told(MetadataResponseData answer);

    /** A batch that all in-sync replicas shall have was answered with success. */
    void acked(PartitionLedger ledger, long offset);

    /** A broker said that a topic which exists (and was acked) is unknown. */
    void unexpectedUnknownTopic(String partition, SimLife server);
}
