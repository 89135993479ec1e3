package protocol;

import config.RequestConfig;
import java.util.List;
import services.FetchService;
import services.FetchSessions;
import services.OffsetService;
import services.ProduceService;

/** Makes the handlers that serve records; a node's table holds these and those of administration. */
public final class DataPlane {

    private DataPlane() {}

    /**
     * One set per server instance.
     *
     * @param nodeId this broker
     */
    public static List<ApiHandler> handlers(
            int nodeId,
            ProduceService produce,
            FetchService fetch,
            FetchSessions sessions,
            RequestConfig requests,
            OffsetService offsets,
            InitProducerIdHandler initProducerId) {
        return List.of(
                new ApiVersionsHandler(nodeId),
                new ProduceHandler(produce),
                new FetchHandler(fetch, sessions, requests.fetchMaxBytes(), requests.readByRack()),
                new ListOffsetsHandler(offsets),
                new OffsetForLeaderEpochHandler(offsets),
                new DeleteRecordsHandler(offsets),
                new DescribeProducersHandler(offsets),
                initProducerId);
    }
}
