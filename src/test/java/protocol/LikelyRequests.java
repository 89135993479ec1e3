package protocol;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Message;

/** Random requests made of words that mean something to an admin handler, so that they get past the first check more often than noise does. */
final class LikelyRequests {
    private static final List<String> WORDS = List.of(
            "a",
            "b",
            "b@d",
            "",
            "a.b",
            "a_b",
            "1",
            "-1",
            "5",
            "86400000",
            "x".repeat(300),
            "retention.ms",
            "cleanup.policy",
            "segment.bytes",
            "delete",
            "compact",
            "min.insync.replicas",
            "log.retention.ms",
            "node.id",
            "message.max.bytes",
            "interval.ms",
            "match",
            "client_id=.*",
            "client_id=(",
            "metrics",
            "consumer.session.timeout.ms",
            "50000",
            "user",
            "client-id",
            "ip",
            "127.0.0.1",
            "producer_byte_rate",
            "connection_creation_rate",
            "metadata.version",
            "__cluster_metadata",
            "__consumer_offsets",
            "record.validation",
            "compression.type",
            "zstd",
            "root",
            "DEBUG");
    private static final double[] NUMBERS = {0, 1, -1, 1.5, 1e300, Double.NaN, Double.POSITIVE_INFINITY, 1024};
    private static final byte[] BYTES = {0, 1, 2, 3, 4, 8, 16, 32, -1, 9};

    private final Random random;
    private final List<Uuid> ids;

    /** @param ids of topics that exist */
    LikelyRequests(Random random, List<Uuid> ids) {
        this.random = random;
        this.ids = ids;
    }

    <T extends Message> T fill(T message) {
        for (Method setter : message.getClass().getMethods()) {
            boolean field = setter.getName().startsWith("set") && setter.getParameterCount() == 1;
            if (field
                    && !setter.getName().equals("setNext")
                    && !setter.getName().equals("setPrev")) {
                set(message, setter);
            }
        }
        return message;
    }

    private void set(Message message, Method setter) {
        Type type = setter.getGenericParameterTypes()[0];
        // Most fields keep their defaults now and then.
        if (random.nextInt(3) == 0 && type != String.class) {
            return;
        }
        try {
            Object value = value(type);
            // A port has 16 bits without a sign.
            boolean port = setter.getName().equals("setPort") && value instanceof Integer;
            setter.invoke(message, port ? (Integer) value & 0xFFFF : value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(setter.toString(), e);
        }
    }

    private Object value(Type type) throws ReflectiveOperationException {
        if (type == int.class || type == Integer.class) {
            return random.nextInt(10) == 0 ? random.nextInt() : random.nextInt(8) - 2;
        } else if (type == short.class || type == Short.class) {
            return (short) (random.nextInt(6) - 2);
        } else if (type == byte.class || type == Byte.class) {
            return BYTES[random.nextInt(BYTES.length)];
        } else if (type == long.class || type == Long.class) {
            return random.nextLong();
        } else if (type == boolean.class) {
            return random.nextInt(4) == 0;
        } else if (type == double.class) {
            return NUMBERS[random.nextInt(NUMBERS.length)];
        } else if (type == String.class) {
            return random.nextInt(12) == 0 ? null : WORDS.get(random.nextInt(WORDS.size()));
        } else if (type == byte[].class) {
            return new byte[count()];
        } else if (type == Uuid.class) {
            return id();
        }
        return structure(type);
    }

    private Uuid id() {
        int kind = random.nextInt(4);
        if (kind == 0 || ids.isEmpty()) {
            return kind == 1 ? new Uuid(9, 9) : Uuid.ZERO_UUID;
        }
        return ids.get(random.nextInt(ids.size()));
    }

    private int count() {
        return Math.max(0, random.nextInt(5) - 2);
    }

    private Object structure(Type type) throws ReflectiveOperationException {
        if (type instanceof ParameterizedType list) {
            List<Object> all = new ArrayList<>();
            for (int i = count(); i > 0; i--) {
                all.add(value(list.getActualTypeArguments()[0]));
            }
            return all;
        }
        Object made = ((Class<?>) type).getConstructor().newInstance();
        if (made instanceof Message inner) {
            return fill(inner);
        }
        // A keyed collection of the generated code: its element type is in its class's generic supertype.
        Type element = ((ParameterizedType) made.getClass().getGenericSuperclass()).getActualTypeArguments()[0];
        @SuppressWarnings("unchecked")
        Collection<Object> elements = (Collection<Object>) made;
        for (int i = count(); i > 0; i--) {
            elements.add(value(element));
        }
        return made;
    }

    static ApiMessage newRequest(ApiHandler handler) {
        return handler.key().messageType.newRequest();
    }
}
