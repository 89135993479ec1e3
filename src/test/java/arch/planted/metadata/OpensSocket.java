package arch.planted.metadata;

import arch.Breaks;
import java.io.IOException;
import java.net.Socket;

@Breaks("R6")
final class OpensSocket {
    Socket open() throws IOException {
        return new Socket("localhost", 1);
    }
}
