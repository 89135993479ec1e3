package protocol;

import common.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;

/** Counts and times of requests by API, after Kafka's kafka.network RequestMetrics. */
final class RequestMetrics {
    private final Metrics.Counter[] requests;
    private final Metrics.Counter[] errors;
    private final Metrics.Histogram[] totalTime;

    RequestMetrics(HandlerTable handlers, Metrics metrics) {
        int size = handlers.all().stream().mapToInt(each -> each.key().id).max().orElse(-1) + 1;
        requests = new Metrics.Counter[size];
        errors = new Metrics.Counter[size];
        totalTime = new Metrics.Histogram[size];
        for (ApiHandler handler : handlers.all()) {
            ApiKeys key = handler.key();
            requests[key.id] = metrics.counter(
                    "kafka_network_requestmetrics_requests_total", "Requests answered", "request", key.name);
            errors[key.id] = metrics.counter(
                    "kafka_network_requestmetrics_errors_total",
                    "Requests whose handler failed as a whole",
                    "request",
                    key.name);
            totalTime[key.id] = metrics.histogram(
                    "kafka_network_requestmetrics_totaltime",
                    "From the decoded request to its answer",
                    "request",
                    key.name);
        }
    }

    void answered(ApiKeys key, long nanos) {
        requests[key.id].add(1);
        totalTime[key.id].record(nanos);
    }

    void failed(ApiKeys key) {
        errors[key.id].add(1);
    }
}
