package controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.Map;
import metadata.ConfigTarget;
import metadata.Features;
import metadata.MetadataRecords;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Settings of single brokers, in a cluster of several. */
class BrokerSettingsTest {
    private ClusterLab lab;

    @BeforeEach
    void threeBrokers() {
        lab = new ClusterLab(1);
        lab.start(1);
        lab.start(2);
        lab.start(3);
    }

    private Errors set(int broker, String key, String value) {
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        AlterConfigsResource resource = new AlterConfigsResource()
                .setResourceType(ConfigTarget.BROKER)
                .setResourceName(Integer.toString(broker));
        resource.configs().add(new AlterableConfig().setName(key).setValue(value));
        request.resources().add(resource);
        return Errors.forCode(lab.commit(lab.machine.incrementalAlterConfigs(request))
                .responses()
                .get(0)
                .errorCode());
    }

    private void finalize(String feature, int level) {
        UpdateFeaturesRequestData request = new UpdateFeaturesRequestData();
        request.featureUpdates()
                .add(new FeatureUpdateKey()
                        .setFeature(feature)
                        .setMaxVersionLevel((short) level)
                        .setUpgradeType((byte) (level == 0 ? 2 : 1)));
        assertEquals(0, lab.commit(lab.machine.updateFeatures(request)).errorCode());
    }

    /** The controller may be any node. */
    @Test
    void ofEachRegisteredBroker() {
        for (int broker = 1; broker <= 3; broker++) {
            assertEquals(Errors.NONE, set(broker, "log.retention.ms", "5000"));
            assertEquals(Map.of("log.retention.ms", "5000"), lab.image().brokerConfigs(broker));
        }
        assertEquals(Errors.BROKER_ID_NOT_REGISTERED, set(4, "log.retention.ms", "5000"));
    }

    /** C5: a leader that goes by a lower minimum commits what an eligible replica does not have. */
    @Test
    void oneMinimumForAllBeforeReplicasAreEligible() {
        for (boolean knownToAll : List.of(true, false)) {
            threeBrokers();
            finalize(Features.ELIGIBLE_LEADERS, 0);
            if (!knownToAll) {
                lab.commit(List.of(MetadataRecords.config(ConfigTarget.broker(-1), Features.MIN_ISR, null)));
            }
            assertEquals(Errors.NONE, set(2, Features.MIN_ISR, "1"));
            assertEquals(Errors.NONE, set(3, Features.MIN_ISR, "2"));
            finalize(Features.ELIGIBLE_LEADERS, 1);
            assertEquals(1, lab.image().features().level(Features.ELIGIBLE_LEADERS));
            assertEquals("1", lab.image().brokerConfigs(-1).get(Features.MIN_ISR));
            for (int broker = 1; broker <= 3; broker++) {
                assertFalse(lab.image().brokerConfigs(broker).containsKey(Features.MIN_ISR), "broker " + broker);
            }
        }
    }
}
