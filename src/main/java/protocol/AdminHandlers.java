package protocol;

import java.util.ArrayList;
import java.util.List;
import services.ClusterService;
import services.ConfigService;
import services.LogDirService;
import services.QuotaService;
import services.TopicService;

/** The handlers about topics, configs, quotas and the cluster, for one server instance. */
public final class AdminHandlers {
    private AdminHandlers() {}

    /**
     * @param topics, configs, quotas, logDirs, cluster of the same server instance
     * @param maxPartitions in one answer of DescribeTopicPartitions, > 0
     */
    public record Parts(
            TopicService topics,
            ConfigService configs,
            QuotaService quotas,
            LogDirService logDirs,
            ClusterService cluster,
            int maxPartitions) {}

    public static List<ApiHandler> of(Parts parts) {
        List<ApiHandler> all = new ArrayList<>(List.of(
                new MetadataHandler(parts.topics()),
                new DescribeTopicPartitionsHandler(parts.maxPartitions()),
                new DescribeClusterHandler(),
                new CreateTopicsHandler(parts.topics()),
                new DeleteTopicsHandler(parts.topics()),
                new CreatePartitionsHandler(parts.topics()),
                new DescribeConfigsHandler(parts.configs()),
                new AlterConfigsHandler(parts.configs()),
                new IncrementalAlterConfigsHandler(parts.configs()),
                new ListConfigResourcesHandler(parts.configs()),
                new DescribeLogDirsHandler(parts.logDirs()),
                new UpdateFeaturesHandler(parts.cluster()),
                new DescribeClientQuotasHandler(parts.quotas()),
                new AlterClientQuotasHandler(parts.quotas()),
                new ListPartitionReassignmentsHandler(),
                new AlterPartitionReassignmentsHandler(parts.cluster()),
                new ElectLeadersHandler(parts.cluster()),
                new DescribeAclsHandler(),
                new DescribeUserScramCredentialsHandler()));
        all.addAll(QuorumHandlers.ofBroker(parts.cluster()));
        all.add(new UnregisterBrokerHandler(parts.cluster()));
        all.addAll(DelegationTokenHandler.all());
        return all;
    }
}
