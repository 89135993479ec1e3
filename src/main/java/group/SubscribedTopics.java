package group;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import records.schemas.ConsumerProtocolBytes;

/** The topics that the consumers of one generation read, parsed when first asked for. */
final class SubscribedTopics {
    private List<byte[]> subscriptions;
    private Set<String> topics;

    /** @param subscriptions of all members, in any version of ConsumerProtocolSubscription; null: not known */
    SubscribedTopics(List<byte[]> subscriptions) {
        this.subscriptions = subscriptions;
    }

    /** Before the first generation, and for other protocols than that of consumers: nobody knows. */
    static SubscribedTopics unknown() {
        return new SubscribedTopics(null);
    }

    /** Null when not known: some member's subscription is not in that form. */
    Set<String> topics() {
        if (subscriptions != null) {
            topics = parse(subscriptions);
            subscriptions = null;
        }
        return topics;
    }

    private static Set<String> parse(List<byte[]> subscriptions) {
        Set<String> all = new LinkedHashSet<>();
        for (byte[] each : subscriptions) {
            ConsumerProtocolSubscription subscription = ConsumerProtocolBytes.subscription(each);
            if (subscription == null) {
                return null;
            }
            all.addAll(subscription.topics());
        }
        return all;
    }
}
