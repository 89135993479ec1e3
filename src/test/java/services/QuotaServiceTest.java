package services;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData;
import org.apache.kafka.common.message.DescribeClientQuotasResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.image.ClientQuotaImage;
import org.apache.kafka.image.ClientQuotasImage;
import org.junit.jupiter.api.Test;
import services.QuotaService.Component;

/** Kafka's own image of quotas is the judge of filters. */
class QuotaServiceTest {
    private static final List<String> TYPES = List.of("user", "client-id", "ip", "planet", "");
    private static final List<String> NAMES = List.of("a", "b");

    private final QuotaService service = new QuotaService(new HeldMailboxes(), 1_000);

    @Test
    void findsWhatKafkaFinds() {
        long seed = 20261130;
        Random random = new Random(seed);
        for (int round = 0; round < 3_000; round++) {
            ClusterImages ours = new ClusterImages();
            ClientQuotasImage kafkas = quotas(random, ours);
            List<Component> filter = filter(random);
            boolean strict = random.nextBoolean();
            assertEquals(
                    ofKafka(kafkas, filter, strict),
                    ofOurs(service.describe(ours.image(), filter, strict)),
                    "seed " + seed + ", round " + round + ": " + filter + " in " + kafkas);
        }
    }

    private static ClientQuotasImage quotas(Random random, ClusterImages ours) {
        Map<ClientQuotaEntity, ClientQuotaImage> all = new HashMap<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            Map<String, String> entity = new TreeMap<>();
            if (random.nextInt(4) == 0) {
                entity.put("ip", name(random));
            } else {
                boolean user = random.nextBoolean();
                if (user) {
                    entity.put("user", name(random));
                }
                if (!user || random.nextBoolean()) {
                    entity.put("client-id", name(random));
                }
            }
            ours.quota(entity, "producer_byte_rate", i);
            all.put(new ClientQuotaEntity(entity), new ClientQuotaImage(Map.of("producer_byte_rate", (double) i)));
        }
        return new ClientQuotasImage(all);
    }

    private static List<Component> filter(Random random) {
        List<Component> filter = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            int known = random.nextInt(10) == 0 ? TYPES.size() : 2;
            byte match = (byte) random.nextInt(random.nextInt(10) == 0 ? 4 : 3);
            String name = random.nextInt(12) == 0 ? name(random) : match == 0 ? NAMES.get(random.nextInt(2)) : null;
            filter.add(new Component(TYPES.get(random.nextInt(known)), match, name));
        }
        return filter;
    }

    private static String name(Random random) {
        int which = random.nextInt(3);
        return which == 2 ? null : NAMES.get(which);
    }

    private static String ofKafka(ClientQuotasImage image, List<Component> filter, boolean strict) {
        DescribeClientQuotasRequestData request = new DescribeClientQuotasRequestData().setStrict(strict);
        for (Component component : filter) {
            request.components()
                    .add(new DescribeClientQuotasRequestData.ComponentData()
                            .setEntityType(component.type())
                            .setMatchType(component.match())
                            .setMatch(component.name()));
        }
        DescribeClientQuotasResponseData answer;
        try {
            answer = image.describe(request);
        } catch (ApiException e) {
            return Errors.forException(e).toString();
        }
        TreeMap<String, String> entries = new TreeMap<>();
        answer.entries().forEach(entry -> {
            TreeMap<String, String> entity = new TreeMap<>();
            entry.entity().forEach(part -> entity.put(part.entityType(), part.entityName()));
            TreeMap<String, Double> values = new TreeMap<>();
            entry.values().forEach(value -> values.put(value.key(), value.value()));
            entries.put(entity.toString(), values.toString());
        });
        return entries.toString();
    }

    private static String ofOurs(QuotaService.Found found) {
        if (found.error() != Errors.NONE) {
            return found.error().toString();
        }
        TreeMap<String, String> entries = new TreeMap<>();
        found.entries()
                .forEach(entry -> entries.put(
                        entry.entity().parts().toString(), entry.values().toString()));
        return entries.toString();
    }
}
