import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** A transactional batch made once and stamped for each use: the driver shares the machine with the broker, so it must be cheap. */
final class TxnBatch {
  private static final int CRC = 17;
  private static final int CHECKED_FROM = 21;
  private static final int PRODUCER_ID = 43;
  private static final int PRODUCER_EPOCH = 51;
  private static final int BASE_SEQUENCE = 53;

  private final byte[] template;

  TxnBatch(int records, int valueBytes) {
    var all = new SimpleRecord[records];
    var value = new byte[valueBytes];
    for (int i = 0; i < valueBytes; i++) {
      value[i] = (byte) ('a' + i % 26);
    }
    long now = System.currentTimeMillis();
    for (int i = 0; i < records; i++) {
      all[i] = new SimpleRecord(now, value);
    }
    var buffer = MemoryRecords.withTransactionalRecords(Compression.NONE, 0, (short) 0, 0, all).buffer();
    template = new byte[buffer.remaining()];
    buffer.get(template);
  }

  MemoryRecords stamped(long producerId, short epoch, int sequence) {
    var bytes = ByteBuffer.wrap(template.clone());
    bytes.putLong(PRODUCER_ID, producerId).putShort(PRODUCER_EPOCH, epoch).putInt(BASE_SEQUENCE, sequence);
    var crc = new CRC32C();
    crc.update(bytes.array(), CHECKED_FROM, template.length - CHECKED_FROM);
    bytes.putInt(CRC, (int) crc.getValue());
    return MemoryRecords.readableRecords(bytes);
  }
}
