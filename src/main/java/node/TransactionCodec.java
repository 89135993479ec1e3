package node;

import coordinator.RecordCodec;
import java.nio.ByteBuffer;
import records.schemas.TransactionRecord;

/** The bytes of the records of __transaction_state. */
final class TransactionCodec implements RecordCodec<TransactionRecord> {

    @Override
    public ByteBuffer key(TransactionRecord record) {
        return ByteBuffer.wrap(record.encodeKey());
    }

    @Override
    public ByteBuffer value(TransactionRecord record) {
        byte[] value = record.encodeValue();
        return value == null ? null : ByteBuffer.wrap(value);
    }

    @Override
    public TransactionRecord decode(ByteBuffer key, ByteBuffer value) {
        return TransactionRecord.decode(key, value);
    }
}
