package protocol;

import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.RecordsSend;
import storage.FileRange;

/** Records of a Fetch response that stay in their file until the socket takes them. Owns the range until the response is encoded or dropped. */
final class FileRangeRecords implements BaseRecords {
    private final FileRange range;

    FileRangeRecords(FileRange range) {
        this.range = range;
    }

    FileRange range() {
        return range;
    }

    /** Gives back the ranges of a response that will not be sent. */
    static void releaseAll(ApiMessage response) {
        if (response instanceof FetchResponseData fetched) {
            for (FetchResponseData.FetchableTopicResponse topic : fetched.responses()) {
                for (FetchResponseData.PartitionData partition : topic.partitions()) {
                    if (partition.records() instanceof FileRangeRecords inFile) {
                        inFile.range().release();
                    }
                }
            }
        }
    }

    @Override
    public int sizeInBytes() {
        return range.length();
    }

    @Override
    public RecordsSend<? extends BaseRecords> toSend() {
        throw new UnsupportedOperationException("sent by the host of the connection");
    }
}
