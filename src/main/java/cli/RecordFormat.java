package cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * How {@code consume} prints a record: text with the tokens that kcat has, as raw bytes.
 *
 * <p>{@code %t} topic, {@code %p} partition, {@code %o} offset, {@code %k} key, {@code %s} value, {@code %T} timestamp in
 * milliseconds, {@code %h} headers as name=value joined by commas, {@code %K} and {@code %S} lengths of key and value in
 * bytes (-1 for null), {@code %R} length of the value as four bytes, {@code %%} a percent sign; escapes as in
 * {@link Escapes}.
 */
final class RecordFormat {

    private interface Piece {
        void write(ConsumerRecord<byte[], byte[]> record, OutputStream out) throws IOException;
    }

    private final List<Piece> pieces = new ArrayList<>();
    private final byte[] nullToken;

    /** Compiles {@code format}; a null key or value is printed as {@code nullToken}. */
    RecordFormat(String format, String nullToken) {
        this.nullToken = nullToken.getBytes(StandardCharsets.UTF_8);
        int at = 0;
        while (at < format.length()) {
            int percent = format.indexOf('%', at);
            int end = percent < 0 ? format.length() : percent;
            if (end > at) {
                byte[] literal = Escapes.bytes(format.substring(at, end));
                pieces.add((record, out) -> out.write(literal));
            }
            if (percent < 0) {
                break;
            }
            if (percent + 1 == format.length()) {
                throw new CliFailure("the format ends in a lone %", "Write %% for a percent sign.");
            }
            pieces.add(token(format.charAt(percent + 1)));
            at = percent + 2;
        }
    }

    void write(ConsumerRecord<byte[], byte[]> record, OutputStream out) throws IOException {
        for (Piece piece : pieces) {
            piece.write(record, out);
        }
    }

    private Piece token(char letter) {
        return switch (letter) {
            case 't' -> (record, out) -> text(record.topic(), out);
            case 'p' -> (record, out) -> text(String.valueOf(record.partition()), out);
            case 'o' -> (record, out) -> text(String.valueOf(record.offset()), out);
            case 'T' -> (record, out) -> text(String.valueOf(record.timestamp()), out);
            case 'k' -> (record, out) -> bytes(record.key(), out);
            case 's' -> (record, out) -> bytes(record.value(), out);
            case 'K' -> (record, out) -> text(String.valueOf(length(record.key())), out);
            case 'S' -> (record, out) -> text(String.valueOf(length(record.value())), out);
            case 'R' ->
                (record, out) -> out.write(
                        ByteBuffer.allocate(4).putInt(length(record.value())).array());
            case 'h' -> this::headers;
            case '%' -> (record, out) -> out.write('%');
            default ->
                throw new CliFailure(
                        "the format has an unknown token %" + letter,
                        "Known are %t %p %o %k %s %T %h %K %S %R and %%; see highwater consume --help.");
        };
    }

    private void headers(ConsumerRecord<byte[], byte[]> record, OutputStream out) throws IOException {
        boolean first = true;
        for (Header header : record.headers()) {
            if (!first) {
                out.write(',');
            }
            first = false;
            text(header.key(), out);
            out.write('=');
            bytes(header.value(), out);
        }
    }

    private void bytes(byte[] value, OutputStream out) throws IOException {
        out.write(value == null ? nullToken : value);
    }

    private static void text(String value, OutputStream out) throws IOException {
        out.write(value.getBytes(StandardCharsets.UTF_8));
    }

    private static int length(byte[] value) {
        return value == null ? -1 : value.length;
    }
}
