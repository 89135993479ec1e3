package records.schemas;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.apache.kafka.common.Uuid;
import records.MalformedRecordException;

/**
 * Reads the fields of a Kafka message one after the other: plain ones (lengths are int16 or int32) or flexible ones (KIP-482: lengths are varints, plus one;
 * tagged fields at the end). Never touches the buffer's position. Each method throws {@link MalformedRecordException} when the field does not fit; nothing
 * is allocated from an announced size that the bytes left could not hold.
 */
final class FieldReader {

    private static final int VARINT_BYTES = 5;
    // Kafka's bounds.
    private static final int MOST_TAGS = 10_000;
    private static final int MOST_ELEMENTS = 1_000_000;
    private final ByteBuffer in;
    private final int end;
    private int at;

    FieldReader(ByteBuffer in) {
        this.in = in;
        this.at = in.position();
        this.end = in.limit();
    }

    byte int8() {
        return in.get(advance(Byte.BYTES));
    }

    short int16() {
        return in.getShort(advance(Short.BYTES));
    }

    int int32() {
        return in.getInt(advance(Integer.BYTES));
    }

    long int64() {
        return in.getLong(advance(Long.BYTES));
    }

    Uuid uuid() {
        long high = int64();
        return new Uuid(high, int64());
    }

    int unsignedVarint() {
        int value = 0;
        for (int i = 0; i < VARINT_BYTES; i++) {
            byte next = int8();
            value |= (next & 0x7f) << (7 * i);
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedRecordException("a varint of more than " + VARINT_BYTES + " bytes");
    }

    /** May be null. */
    String string(boolean flexible) {
        int length = flexible ? unsignedVarint() - 1 : int16();
        if (length > Short.MAX_VALUE) {
            throw new MalformedRecordException("a string of " + length + " bytes");
        }
        if (length <= 0) {
            return length == 0 ? "" : null;
        }
        int from = advance(length);
        if (in.hasArray()) {
            return new String(in.array(), in.arrayOffset() + from, length, StandardCharsets.UTF_8);
        }
        byte[] copy = new byte[length];
        in.get(from, copy);
        return new String(copy, StandardCharsets.UTF_8);
    }

    String stringNotNull(boolean flexible) {
        String value = string(flexible);
        if (value == null) {
            throw new MalformedRecordException("null where a string has to be");
        }
        return value;
    }

    /** A copy; never null. */
    byte[] bytes(boolean flexible) {
        int length = flexible ? unsignedVarint() - 1 : int32();
        if (length < 0) {
            throw new MalformedRecordException("null where bytes have to be");
        }
        byte[] copy = new byte[left(length)];
        in.get(advance(length), copy);
        return copy;
    }

    /** Unmodifiable; null where the field has null. */
    <T> List<T> listOrNull(boolean flexible, Function<FieldReader, T> element) {
        int length = flexible ? unsignedVarint() - 1 : int32();
        if (length <= 0) {
            return length == 0 ? List.of() : null;
        }
        List<T> list = new ArrayList<>(left(atMost(MOST_ELEMENTS, length)));
        for (int i = 0; i < length; i++) {
            list.add(element.apply(this));
        }
        return List.copyOf(list);
    }

    <T> List<T> list(boolean flexible, Function<FieldReader, T> element) {
        List<T> list = listOrNull(flexible, element);
        if (list == null) {
            throw new MalformedRecordException("null where a list has to be");
        }
        return list;
    }

    /** The tagged fields of a structure that knows tag 0 only: its value, or the default. What newer writers added is passed over. */
    <T> T tagged(T absent, Function<FieldReader, T> field) {
        T value = absent;
        for (int left = tags(); left > 0; left--) {
            int tag = unsignedVarint();
            int size = unsignedVarint();
            if (tag == 0) {
                value = field.apply(this);
            } else {
                advance(size);
            }
        }
        return value;
    }

    /**
     * The tagged fields of a structure that knows several.
     *
     * @param field reads the field of a tag; false for an unknown one, which is passed over
     */
    void tagged(IntPredicate field) {
        for (int left = tags(); left > 0; left--) {
            int tag = unsignedVarint();
            int size = unsignedVarint();
            if (!field.test(tag)) {
                advance(size);
            }
        }
    }

    /** The tagged fields of a structure that knows none. */
    void noneTagged() {
        for (int left = tags(); left > 0; left--) {
            unsignedVarint();
            advance(unsignedVarint());
        }
    }

    private int tags() {
        return left(atMost(MOST_TAGS, unsignedVarint()));
    }

    private static int atMost(int most, int announced) {
        if (announced > most) {
            throw new MalformedRecordException(announced + " elements announced, at most " + most + " are allowed");
        }
        return announced;
    }

    private int advance(int bytes) {
        int from = at;
        at += left(bytes);
        return from;
    }

    private int left(int wanted) {
        if (wanted < 0 || wanted > end - at) {
            throw new MalformedRecordException(wanted + " more announced, " + (end - at) + " bytes left");
        }
        return wanted;
    }
}
