package cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class RecordFormatTest {

    private static final byte[] VALUE = {'v', (byte) 0xff, 0};

    @Test
    void tokensAreKcats() throws IOException {
        assertEquals("orders 3 17 1234567", text("%t %p %o %T", "k", VALUE));
        assertEquals("[k] 1 3", text("[%k] %K %S", "k", VALUE));
        assertEquals("a=1,a=,b=NIL", text("%h", "k", VALUE));
        assertEquals("100%\t\n", text("100%%\\t\\n", "k", VALUE));
        assertEquals("", text("", "k", VALUE));
    }

    @Test
    void valuesKeepTheirBytes() throws IOException {
        assertArrayEquals(VALUE, bytes("%s", "k", VALUE));
        assertArrayEquals(new byte[] {0, 0, 0, 3}, bytes("%R", "k", VALUE));
    }

    @Test
    void nullIsTold() throws IOException {
        assertEquals("NIL NIL -1 -1", text("%k %s %K %S", null, null));
        assertArrayEquals(new byte[] {-1, -1, -1, -1}, bytes("%R", null, null));
    }

    @Test
    void unknownTokensAreRefused() {
        assertThrows(CliFailure.class, () -> new RecordFormat("%q", ""));
        assertThrows(CliFailure.class, () -> new RecordFormat("100%", ""));
    }

    private static String text(String format, String key, byte[] value) throws IOException {
        return new String(bytes(format, key, value), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String format, String key, byte[] value) throws IOException {
        RecordHeaders headers = new RecordHeaders();
        headers.add("a", new byte[] {'1'});
        headers.add("a", new byte[0]);
        headers.add("b", null);
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(
                "orders",
                3,
                17,
                1234567,
                TimestampType.CREATE_TIME,
                0,
                0,
                key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                value,
                headers,
                Optional.empty());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new RecordFormat(format, "NIL").write(record, out);
        return out.toByteArray();
    }
}
