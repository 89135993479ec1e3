package protocol;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.BaseRecords;

/** Fills generated messages with random values, field by field, leaving out what a version has no room for. */
final class RandomMessages {

    private RandomMessages() {}

    static <T extends Message> T fill(T message, short version, Random random) {
        fill((Object) message, random, 0);
        clearWhatDoesNotFit(message, version);
        return message;
    }

    private static void fill(Object message, Random random, int depth) {
        for (Method setter : message.getClass().getMethods()) {
            if (!setter.getName().startsWith("set")
                    || setter.getParameterCount() != 1
                    || setter.getName().equals("setNext")
                    || setter.getName().equals("setPrev")) {
                continue;
            }
            Object value = value(setter.getGenericParameterTypes()[0], random, depth);
            if (value != null) {
                call(setter, message, value);
            }
        }
    }

    private static Object value(Type type, Random random, int depth) {
        if (type == int.class) {
            return random.nextBoolean() ? random.nextInt(3) : random.nextInt(1 << 16);
        } else if (type == long.class) {
            return random.nextBoolean() ? random.nextInt(4) - 1L : random.nextLong();
        } else if (type == short.class) {
            return (short) (random.nextBoolean() ? random.nextInt(4) - 1 : random.nextInt());
        } else if (type == byte.class) {
            return (byte) random.nextInt();
        } else if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == double.class) {
            return random.nextDouble();
        } else if (type == String.class) {
            return random.nextInt(3) == 0 ? "orders" : "s".repeat(random.nextInt(9)) + "\u00e9";
        } else if (type == Uuid.class) {
            return random.nextInt(3) == 0 ? Broker.ORDERS : new Uuid(random.nextLong(), random.nextLong());
        } else if (type == byte[].class) {
            return new byte[random.nextInt(5)];
        } else if (type == BaseRecords.class) {
            return Broker.batch("a", "b");
        }
        return structure(type, random, depth);
    }

    private static Object structure(Type type, Random random, int depth) {
        try {
            if (type instanceof ParameterizedType list) {
                Collection<Object> all = new java.util.ArrayList<>();
                Object element = value(boxed(list.getActualTypeArguments()[0]), random, depth + 1);
                if (element != null) {
                    all.add(element);
                }
                return all;
            }
            Class<?> of = (Class<?>) type;
            if (Message.class.isAssignableFrom(of) && depth < 6) {
                Object inner = of.getConstructor().newInstance();
                fill(inner, random, depth + 1);
                return inner;
            }
            return null;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a generated class of another shape", e);
        }
    }

    private static Type boxed(Type type) {
        if (type == Integer.class) {
            return int.class;
        } else if (type == Long.class) {
            return long.class;
        } else if (type == Short.class) {
            return short.class;
        }
        return type == Byte.class ? byte.class : type;
    }

    /** A field that a version lacks makes the size or the write fail: then it goes back to its default, one field after the other. */
    private static void clearWhatDoesNotFit(Message message, short version) {
        for (Method setter : message.getClass().getMethods()) {
            if (fits(message, version)) {
                return;
            }
            if (setter.getName().startsWith("set") && setter.getParameterCount() == 1) {
                reset(message, setter);
            }
        }
        if (!fits(message, version)) {
            throw new AssertionError(message.getClass() + " version " + version);
        }
    }

    private static void reset(Message message, Method setter) {
        try {
            Object fresh = message.getClass().getConstructor().newInstance();
            String name = setter.getName().substring(3);
            Method getter = message.getClass().getMethod(Character.toLowerCase(name.charAt(0)) + name.substring(1));
            call(setter, message, getter.invoke(fresh));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a generated class of another shape", e);
        }
    }

    private static boolean fits(Message message, short version) {
        try {
            ObjectSerializationCache cache = new ObjectSerializationCache();
            int size = message.size(cache, version);
            message.write(
                    new org.apache.kafka.common.protocol.ByteBufferAccessor(java.nio.ByteBuffer.allocate(size)),
                    cache,
                    version);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static void call(Method setter, Object target, Object value) {
        try {
            setter.invoke(target, value);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a generated class of another shape", e);
        }
    }
}
