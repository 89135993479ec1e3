package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.Features;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData.UpdatableFeatureResult;
import org.apache.kafka.common.protocol.Errors;

/** UpdateFeatures (KIP-584): all of a request's updates or none. */
final class FeatureChanges {

    private static final byte UPGRADE = 1;
    private static final byte SAFE_DOWNGRADE = 2;
    private static final byte UNSAFE_DOWNGRADE = 3;

    private final int nodeId;
    private final MinIsrRules minIsrRules;

    FeatureChanges(int nodeId, MinIsrRules minIsrRules) {
        this.nodeId = nodeId;
        this.minIsrRules = minIsrRules;
    }

    Decision<UpdateFeaturesResponseData> decide(MetadataImage image, UpdateFeaturesRequestData request) {
        List<MetadataRecord> records = new ArrayList<>();
        UpdateFeaturesResponseData answer = new UpdateFeaturesResponseData().setErrorMessage(null);
        try {
            for (FeatureUpdateKey update : request.featureUpdates()) {
                check(image, update);
                if (image.features().level(update.feature()) != update.maxVersionLevel()) {
                    if (update.feature().equals(Features.ELIGIBLE_LEADERS) && update.maxVersionLevel() > 0) {
                        records.addAll(minIsrRules.oneForAll(image));
                    }
                    records.add(MetadataRecords.feature(update.feature(), update.maxVersionLevel()));
                }
            }
        } catch (Refusal refusal) {
            records.clear();
            answer.setErrorCode(refusal.error().code())
                    .setErrorMessage("The update failed for all features since the following feature had an error: "
                            + refusal.getMessage());
        }
        // As in Kafka, features are named one by one only when all of them were updated.
        if (answer.errorCode() == Errors.NONE.code()) {
            for (FeatureUpdateKey update : request.featureUpdates()) {
                answer.results()
                        .add(new UpdatableFeatureResult()
                                .setFeature(update.feature())
                                .setErrorMessage(null));
            }
        }
        return request.validateOnly() ? Decision.unchanged(answer) : new Decision<>(List.copyOf(records), answer);
    }

    private void check(MetadataImage image, FeatureUpdateKey update) throws Refusal {
        String name = update.feature();
        short level = update.maxVersionLevel();
        byte type = update.allowDowngrade() ? SAFE_DOWNGRADE : update.upgradeType();
        Features.Range range = Features.supported().get(name);
        if (type != UPGRADE && type != SAFE_DOWNGRADE && type != UNSAFE_DOWNGRADE) {
            throw invalid(update, "The controller does not support the given upgrade type.");
        }
        if (range == null) {
            throw invalid(update, "Local controller " + nodeId + " does not support this feature.");
        }
        if (level < range.min() || level > range.max()) {
            throw invalid(
                    update,
                    "Local controller " + nodeId + " only supports versions " + range.min() + "-" + range.max());
        }
        for (BrokerImage broker : image.brokers()) {
            checkBroker(broker, update);
        }
        short current = image.features().level(name);
        if (level < current && type == UPGRADE) {
            throw invalid(
                    update,
                    "Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe"
                            + " downgrade.");
        }
        if (level > current && type != UPGRADE) {
            throw invalid(update, "Can't downgrade to a newer version.");
        }
        if (level < current && name.equals(Features.METADATA_VERSION)) {
            throw new Refusal(
                    Errors.INVALID_UPDATE_VERSION,
                    "Unsupported metadata.version downgrade from " + current + " to " + level
                            + ". Refusing to perform the requested downgrade because it might delete metadata"
                            + " information.");
        }
    }

    /** Every registered broker must be able to follow; one that registered without a request said nothing of it. */
    private static void checkBroker(BrokerImage broker, FeatureUpdateKey update) throws Refusal {
        Features.Range range = broker.start().features().get(update.feature());
        short level = update.maxVersionLevel();
        if (broker.start().features().isEmpty() || (range == null && level == 0)) {
            return;
        }
        if (range == null) {
            throw invalid(update, "Broker " + broker.id() + " does not support this feature.");
        }
        if (level < range.min() || level > range.max()) {
            throw invalid(
                    update, "Broker " + broker.id() + " only supports versions " + range.min() + "-" + range.max());
        }
    }

    private static Refusal invalid(FeatureUpdateKey update, String why) {
        return new Refusal(
                Errors.INVALID_UPDATE_VERSION,
                "Invalid update version " + update.maxVersionLevel() + " for feature " + update.feature() + ". " + why);
    }
}
