package common;

import org.apache.kafka.common.protocol.ApiMessage;

/**
 * Requests to other nodes, in the Kafka protocol (plan, section 1.6). What is sent may fail, may never arrive, and may arrive and be executed though no
 * answer comes back. Confined to one owner.
 */
public interface Peers {

    /** Where a node listens for other nodes; {@code host} is a name or a literal address. */
    record Address(String host, int port) {
        @Override
        public String toString() {
            return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
        }
    }

    /**
     * A line of its own to one address: requests are answered in their order, so whatever may wait long (a fetch) needs another line than what must not wait.
     * Nothing is opened before the first request.
     */
    Peer line(Address to);

    /** One connection at a time to one address, opened when there is something to send. */
    interface Peer {

        /**
         * Sends a request, written in the newest version that both ends know. {@code done} runs exactly once: with the answer, or with
         *
         * <ul>
         *   <li>PEER_REFUSED: nobody listens at the address (the process is gone); not sent
         *   <li>PEER_UNREACHABLE: no connection came about for another reason, or the other end does not offer this request; not sent
         *   <li>PEER_LOST: the connection ended first; outcome unknown
         *   <li>TIMED_OUT: no answer within {@code timeoutMillis} (> 0); outcome unknown. The connection is given up, as answers come in order
         *   <li>OVERLOADED: too many requests wait already; not sent
         *   <li>SHUTTING_DOWN: the line was closed; outcome unknown
         * </ul>
         */
        void send(ApiMessage request, int timeoutMillis, Callback<Answer> done);

        /** Ends the line; what waits for an answer fails. Idempotent. */
        void close();
    }

    /**
     * What a peer answered.
     *
     * @param message of the response class of the request
     * @param version that request and answer were written in
     * @param bytes what byte buffers and records in the message are slices of: they are valid until {@code done} returns, unless this is retained
     */
    record Answer(ApiMessage message, short version, Lease bytes) {}
}
