package compat;

import java.io.IOException;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** Whether a broker serves: it answers, and knows itself as part of its cluster. */
final class BrokerProbe {
    private BrokerProbe() {}

    static boolean isReady(String host, int port) {
        try (RawConnection connection = new RawConnection(host, port)) {
            DescribeClusterResponseData answer = (DescribeClusterResponseData)
                    connection.ask(ApiKeys.DESCRIBE_CLUSTER, (short) 0, new DescribeClusterRequestData());
            return !answer.brokers().isEmpty();
        } catch (IOException e) {
            return false;
        }
    }
}
