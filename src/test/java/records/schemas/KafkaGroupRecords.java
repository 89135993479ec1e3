package records.schemas;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;
import org.apache.kafka.coordinator.group.generated.CoordinatorRecordType;
import org.apache.kafka.coordinator.group.generated.LegacyOffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.LegacyOffsetCommitValue;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;

/** Kafka's own classes of group records: random ones, their bytes, and what its coordinator makes of bytes. */
final class KafkaGroupRecords {

    /** Setters whose field may be null. */
    private static final List<String> NULLABLE = List.of(
            "setProtocol",
            "setLeader",
            "setGroupInstanceId",
            "setInstanceId",
            "setRackId",
            "setSubscribedTopicRegex",
            "setServerAssignor",
            "setClassicMemberMetadata",
            "setAssignmentEpochs");

    private static final GroupCoordinatorRecordSerde SERDE = new GroupCoordinatorRecordSerde();
    private final Random random;

    KafkaGroupRecords(Random random) {
        this.random = random;
    }

    /** Key and value in Kafka's bytes; value null for a tombstone. */
    record Bytes(ByteBuffer key, ByteBuffer value) {}

    static boolean served(CoordinatorRecordType type) {
        return !type.name().startsWith("SHARE_") && !type.name().startsWith("STREAMS_");
    }

    ApiMessage key(CoordinatorRecordType type) {
        return fill(type.newRecordKey());
    }

    /** Empty for a type that is not served. */
    ApiMessage value(CoordinatorRecordType type) {
        return served(type) ? fill(type.newRecordValue()) : type.newRecordValue();
    }

    static ByteBuffer bytesOfKey(ApiMessage key) {
        return ByteBuffer.wrap(MessageUtil.toCoordinatorTypePrefixedBytes(key));
    }

    static ByteBuffer bytesOf(Message value, int version) {
        return ByteBuffer.wrap(MessageUtil.toVersionPrefixedBytes((short) version, value));
    }

    /** What Kafka 4.4.0 reads in the bytes, written as it writes such records; its exception when it cannot read them. */
    static Bytes readAndWrite(ByteBuffer key, ByteBuffer value) {
        CoordinatorRecord read = SERDE.deserialize(key.duplicate(), value == null ? null : value.duplicate());
        Message content = read.value() == null ? null : read.value().message();
        forgetUnknownTags(content);
        if (!(read.key() instanceof LegacyOffsetCommitKey old)) {
            return new Bytes(bytesOfKey(read.key()), content == null ? null : bytesOf(content, written(content)));
        }
        // As its coordinator does when it replays one.
        OffsetCommitKey newKey = new OffsetCommitKey()
                .setGroup(old.group())
                .setTopic(old.topic())
                .setPartition(old.partition());
        if (!(content instanceof LegacyOffsetCommitValue oldValue)) {
            return new Bytes(bytesOfKey(newKey), null);
        }
        OffsetCommitValue newValue = new OffsetCommitValue()
                .setOffset(oldValue.offset())
                .setMetadata(oldValue.metadata())
                .setCommitTimestamp(oldValue.commitTimestamp());
        return new Bytes(bytesOfKey(newKey), bytesOf(newValue, 4));
    }

    /** The version in which Kafka 4.4.0 writes the value. */
    private static int written(Message value) {
        return switch (value.getClass().getSimpleName()) {
            case "OffsetCommitValue" -> ((OffsetCommitValue) value).expireTimestamp() == -1 ? 4 : 1;
            case "GroupMetadataValue" -> 3;
            default -> 0;
        };
    }

    private <T extends Message> T fill(T message) {
        Method[] methods = message.getClass().getMethods();
        Arrays.sort(methods, Comparator.comparing(Method::getName));
        for (Method setter : methods) {
            if (setter.getName().startsWith("set") && setter.getParameterCount() == 1) {
                boolean absent = NULLABLE.contains(setter.getName()) && random.nextInt(4) == 0;
                call(setter, message, absent ? null : random(setter.getName(), setter.getGenericParameterTypes()[0]));
            }
        }
        return message;
    }

    private Object random(String name, Type type) {
        if (type == int.class || type == Integer.class) {
            return random.nextBoolean() ? random.nextInt(3) - 1 : random.nextInt();
        } else if (type == long.class) {
            return random.nextBoolean() ? random.nextInt(3) - 1L : random.nextLong();
        } else if (type == byte.class) {
            return (byte) random.nextInt();
        } else if (type == String.class) {
            return "s\u00e9\u20ac\ud83d\ude00".repeat(random.nextInt(3)) + "x".repeat(random.nextInt(3) * 70);
        } else if (type == Uuid.class) {
            return random.nextInt(3) == 0 ? Uuid.ZERO_UUID : new Uuid(random.nextLong(), random.nextLong());
        } else if (type == byte[].class) {
            byte[] bytes = new byte[random.nextInt(3) * 100];
            random.nextBytes(bytes);
            return bytes;
        } else if (type instanceof ParameterizedType list) {
            List<Object> all = new ArrayList<>();
            Type element = list.getActualTypeArguments()[0];
            boolean many = element == Integer.class && random.nextInt(4) == 0;
            for (int left = random.nextInt(many ? 200 : 4); left > 0; left--) {
                all.add(random(name, element));
            }
            return all;
        }
        try {
            return fill((Message) ((Class<?>) type).getConstructor().newInstance());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a generated class of another shape: " + name, e);
        }
    }

    private static void forgetUnknownTags(Object read) {
        if (read instanceof List<?> list) {
            list.forEach(KafkaGroupRecords::forgetUnknownTags);
        } else if (read instanceof Message message) {
            List<RawTaggedField> unknown = message.unknownTaggedFields();
            unknown.clear();
            for (Field field : message.getClass().getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) {
                    continue;
                }
                if (List.class.isAssignableFrom(field.getType()) || Message.class.isAssignableFrom(field.getType())) {
                    forgetUnknownTags(get(field, message));
                }
            }
        }
    }

    private static Object get(Field field, Object of) {
        try {
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a generated class of another shape", e);
        }
    }

    private static void call(Method setter, Object target, Object value) {
        try {
            setter.invoke(target, value);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a generated class of another shape: " + setter, e);
        }
    }
}
