package records.schemas;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.function.BiConsumer;
import org.apache.kafka.common.Uuid;

/** Writes the fields that {@link FieldReader} reads, into an array that grows. */
final class FieldWriter {

    private static final int INITIAL_BYTES = 96;
    private byte[] bytes = new byte[INITIAL_BYTES];
    private ByteBuffer out = ByteBuffer.wrap(bytes);

    FieldWriter int8(int value) {
        room(Byte.BYTES).put((byte) value);
        return this;
    }

    FieldWriter int16(int value) {
        room(Short.BYTES).putShort((short) value);
        return this;
    }

    FieldWriter int32(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    FieldWriter int64(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    FieldWriter uuid(Uuid value) {
        return int64(value.getMostSignificantBits()).int64(value.getLeastSignificantBits());
    }

    FieldWriter unsignedVarint(int value) {
        int left = value;
        while ((left & ~0x7f) != 0) {
            int8((left & 0x7f) | 0x80);
            left >>>= 7;
        }
        return int8(left);
    }

    /** @param value may be null where the schema allows it */
    FieldWriter string(boolean flexible, String value) {
        byte[] utf8 = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
        int length = utf8 == null ? -1 : utf8.length;
        if (length > Short.MAX_VALUE) {
            throw new IllegalArgumentException("a string of " + length + " bytes, at most " + Short.MAX_VALUE + " fit");
        }
        if (flexible) {
            unsignedVarint(length + 1);
        } else {
            int16(length);
        }
        return utf8 == null ? this : raw(utf8);
    }

    FieldWriter bytes(boolean flexible, byte[] value) {
        return length(flexible, value.length).raw(value);
    }

    /** @param list may be null where the schema allows it */
    <T> FieldWriter list(boolean flexible, List<T> list, BiConsumer<FieldWriter, T> element) {
        length(flexible, list == null ? -1 : list.size());
        if (list != null) {
            for (T one : list) {
                element.accept(this, one);
            }
        }
        return this;
    }

    FieldWriter noneTagged() {
        return int8(0);
    }

    /** The tagged fields of a structure: tag 0 alone, with the content of another writer. */
    FieldWriter tagged(FieldWriter field) {
        byte[] content = field.done();
        return unsignedVarint(1)
                .unsignedVarint(0)
                .unsignedVarint(content.length)
                .raw(content);
    }

    /** The tagged fields of a structure: content by tag, in rising order of the tags. */
    FieldWriter tagged(SortedMap<Integer, FieldWriter> fields) {
        unsignedVarint(fields.size());
        fields.forEach((tag, field) -> {
            byte[] content = field.done();
            unsignedVarint(tag).unsignedVarint(content.length).raw(content);
        });
        return this;
    }

    byte[] done() {
        return Arrays.copyOf(bytes, out.position());
    }

    private FieldWriter length(boolean flexible, int length) {
        return flexible ? unsignedVarint(length + 1) : int32(length);
    }

    private FieldWriter raw(byte[] value) {
        room(value.length).put(value);
        return this;
    }

    private ByteBuffer room(int wanted) {
        if (wanted > out.remaining()) {
            int position = out.position();
            bytes = Arrays.copyOf(
                    bytes, Math.max(Math.multiplyExact(bytes.length, 2), Math.addExact(position, wanted)));
            out = ByteBuffer.wrap(bytes).position(position);
        }
        return out;
    }
}
