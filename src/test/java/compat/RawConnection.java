package compat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.RequestUtils;

/** One connection that sends generated messages at any version, without a client's own ideas of what is wise to send. */
final class RawConnection implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 120_000;
    private static final int MAX_ANSWER_BYTES = 64 << 20;

    private final Socket socket = new Socket();
    private final DataInputStream in;
    private int correlationId;

    RawConnection(String host, int port) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
        in = new DataInputStream(socket.getInputStream());
    }

    /** Throws UnsupportedVersionException when the request holds what {@code version} cannot carry, IOException when the broker hangs up. */
    ApiMessage ask(ApiKeys key, short version, ApiMessage request) throws IOException {
        send(key, version, request);
        return receive(key, version);
    }

    void send(ApiKeys key, short version, ApiMessage request) throws IOException {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(key.id)
                .setRequestApiVersion(version)
                .setCorrelationId(++correlationId)
                .setClientId("compat");
        ByteBuffer body = RequestUtils.serialize(header, key.requestHeaderVersion(version), request, version);
        ByteBuffer frame = ByteBuffer.allocate(4 + body.remaining());
        frame.putInt(body.remaining()).put(body).flip();
        socket.getOutputStream().write(frame.array(), 0, frame.limit());
    }

    ApiMessage receive(ApiKeys key, short version) throws IOException {
        int length = in.readInt();
        if (length < 4 || length > MAX_ANSWER_BYTES) {
            throw new IOException("an answer of " + length + " bytes");
        }
        ByteBufferAccessor bytes = new ByteBufferAccessor(ByteBuffer.wrap(in.readNBytes(length)));
        new ResponseHeaderData(bytes, key.responseHeaderVersion(version));
        ApiMessage answer = key.messageType.newResponse();
        answer.read(bytes, version);
        if (bytes.remaining() != 0) {
            throw new IOException(bytes.remaining() + " bytes left after " + key + " v" + version);
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
