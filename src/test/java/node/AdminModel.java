package node;

import common.Callback;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import metadata.ConfigTarget;
import metadata.MetadataImage;
import metadata.QuotaEntity;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntityData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntryData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.OpData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.protocol.Errors;

/** What admin operations come to, told naively: the judge of the controller under crashes. */
final class AdminModel {

    /** An operation: how to ask for it, and what it does to a model (the error it is answered with). */
    interface Operation {
        void ask(ControllerNode controller, Callback<String> done);

        String apply(AdminModel model);
    }

    private final TreeMap<String, Integer> topics = new TreeMap<>();
    private final TreeMap<String, String> retention = new TreeMap<>();
    private final TreeMap<String, Double> quotas = new TreeMap<>();
    private long nextProducerId;

    AdminModel copy() {
        AdminModel copy = new AdminModel();
        copy.topics.putAll(topics);
        copy.retention.putAll(retention);
        copy.quotas.putAll(quotas);
        copy.nextProducerId = nextProducerId;
        return copy;
    }

    @Override
    public String toString() {
        return topics + " " + retention + " " + quotas + " " + nextProducerId;
    }

    /** The same text of an image. */
    static String text(MetadataImage image) {
        AdminModel model = new AdminModel();
        image.topics().forEach(topic -> {
            model.topics.put(topic.name(), topic.partitions().size());
            topic.configs().forEach((key, value) -> model.retention.put(topic.name(), value));
        });
        for (QuotaEntity entity : image.quotaEntities()) {
            model.quotas.put(entity.parts().get("user"), image.quotas(entity).get("producer_byte_rate"));
        }
        model.nextProducerId = image.nextProducerId();
        return model.toString();
    }

    static Operation random(Random random) {
        List<String> names = List.of("a", "b.b", "b_b", "c");
        String name = names.get(random.nextInt(names.size()));
        int number = 1 + random.nextInt(4);
        return switch (random.nextInt(6)) {
            case 0, 1 -> create(name, number);
            case 2 -> delete(name);
            case 3 -> grow(name, number);
            case 4 -> random.nextBoolean() ? retain(name, random.nextInt(3)) : quota(name, random.nextInt(3));
            default -> producerIds();
        };
    }

    private static Operation create(String name, int partitions) {
        return new Operation() {
            @Override
            public void ask(ControllerNode controller, Callback<String> done) {
                CreateTopicsRequestData request = new CreateTopicsRequestData();
                request.topics()
                        .add(new CreatableTopic()
                                .setName(name)
                                .setNumPartitions(partitions)
                                .setReplicationFactor((short) 1));
                controller.createTopics(
                        request,
                        answer(
                                done,
                                data -> Errors.forCode(data.topics().find(name).errorCode())
                                        .name()));
            }

            @Override
            public String apply(AdminModel model) {
                if (model.topics.containsKey(name)) {
                    return "TOPIC_ALREADY_EXISTS";
                }
                if (model.topics.keySet().stream()
                        .anyMatch(each -> each.replace('.', '_').equals(name.replace('.', '_')))) {
                    return "INVALID_TOPIC_EXCEPTION";
                }
                model.topics.put(name, partitions);
                return "NONE";
            }
        };
    }

    private static Operation delete(String name) {
        return new Operation() {
            @Override
            public void ask(ControllerNode controller, Callback<String> done) {
                DeleteTopicsRequestData request = new DeleteTopicsRequestData();
                request.topics().add(new DeleteTopicState().setName(name));
                controller.deleteTopics(
                        request,
                        answer(
                                done,
                                data -> Errors.forCode(
                                                data.responses().find(name).errorCode())
                                        .name()));
            }

            @Override
            public String apply(AdminModel model) {
                model.retention.remove(name);
                return model.topics.remove(name) == null ? "UNKNOWN_TOPIC_OR_PARTITION" : "NONE";
            }
        };
    }

    private static Operation grow(String name, int count) {
        return new Operation() {
            @Override
            public void ask(ControllerNode controller, Callback<String> done) {
                CreatePartitionsRequestData request = new CreatePartitionsRequestData();
                request.topics()
                        .add(new CreatePartitionsTopic()
                                .setName(name)
                                .setCount(count)
                                .setAssignments(null));
                controller.createPartitions(
                        request,
                        answer(
                                done,
                                data -> Errors.forCode(data.results().get(0).errorCode())
                                        .name()));
            }

            @Override
            public String apply(AdminModel model) {
                Integer current = model.topics.get(name);
                if (current == null) {
                    return "UNKNOWN_TOPIC_OR_PARTITION";
                }
                if (count <= current) {
                    return "INVALID_PARTITIONS";
                }
                model.topics.put(name, count);
                return "NONE";
            }
        };
    }

    /** value 0: back to the default. */
    private static Operation retain(String name, int value) {
        return new Operation() {
            @Override
            public void ask(ControllerNode controller, Callback<String> done) {
                AlterConfigsResource resource = new AlterConfigsResource()
                        .setResourceType(ConfigTarget.TOPIC)
                        .setResourceName(name);
                resource.configs()
                        .add(new AlterableConfig()
                                .setName("retention.ms")
                                .setConfigOperation((byte) (value == 0 ? 1 : 0))
                                .setValue(Integer.toString(value)));
                IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
                request.resources().add(resource);
                controller.incrementalAlterConfigs(
                        request,
                        answer(
                                done,
                                data -> Errors.forCode(data.responses().get(0).errorCode())
                                        .name()));
            }

            @Override
            public String apply(AdminModel model) {
                if (!model.topics.containsKey(name)) {
                    return "UNKNOWN_TOPIC_OR_PARTITION";
                }
                if (value == 0) {
                    model.retention.remove(name);
                } else {
                    model.retention.put(name, Integer.toString(value));
                }
                return "NONE";
            }
        };
    }

    private static Operation quota(String user, int value) {
        return new Operation() {
            @Override
            public void ask(ControllerNode controller, Callback<String> done) {
                EntryData entry = new EntryData();
                entry.entity().add(new EntityData().setEntityType("user").setEntityName(user));
                entry.ops()
                        .add(new OpData()
                                .setKey("producer_byte_rate")
                                .setValue(value)
                                .setRemove(value == 0));
                AlterClientQuotasRequestData request = new AlterClientQuotasRequestData();
                request.entries().add(entry);
                controller.alterClientQuotas(
                        request,
                        answer(
                                done,
                                data -> Errors.forCode(data.entries().get(0).errorCode())
                                        .name()));
            }

            @Override
            public String apply(AdminModel model) {
                if (value == 0) {
                    model.quotas.remove(user);
                } else {
                    model.quotas.put(user, (double) value);
                }
                return "NONE";
            }
        };
    }

    private static Operation producerIds() {
        return new Operation() {
            @Override
            public void ask(ControllerNode controller, Callback<String> done) {
                long epoch = controller.image().broker(1).epoch();
                controller.allocateProducerIds(
                        new AllocateProducerIdsRequestData().setBrokerId(1).setBrokerEpoch(epoch),
                        answer(done, data -> "ids " + data.producerIdStart() + " " + data.producerIdLen()));
            }

            @Override
            public String apply(AdminModel model) {
                model.nextProducerId += 1000;
                return "ids " + (model.nextProducerId - 1000) + " 1000";
            }
        };
    }

    private static <T> Callback<T> answer(Callback<String> done, java.util.function.Function<T, String> text) {
        return (data, failure) -> done.done(failure == null ? text.apply(data) : null, failure);
    }

    /** All names that ever were, for the check that ids of re-created topics differ (C7). */
    static Map<String, String> ids(MetadataImage image) {
        Map<String, String> ids = new LinkedHashMap<>();
        image.topics().forEach(topic -> ids.put(topic.name(), topic.id().toString()));
        return ids;
    }
}
