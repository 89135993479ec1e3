package verticles;

import config.BrokerConfig;
import config.NodeConfig;
import java.net.InetAddress;
import java.time.Instant;
import java.util.StringJoiner;
import node.NodeAssembly;

/** The one line that says that the node serves, for people and scripts. */
final class ReadyLine {
    private static final long LONGEST_LAUNCH_MILLIS = 10_000;

    private ReadyLine() {}

    static String of(BrokerConfig config, Door door, NodeAssembly.Started node, long enteredNanos) {
        StringJoiner addresses = new StringJoiner(",");
        boolean loopbackOnly = true;
        for (int listener = 0; listener < door.addresses().size(); listener++) {
            InetAddress bound = door.addresses().get(listener).bind().getAddress();
            loopbackOnly &= bound.isLoopbackAddress();
            addresses.add(text(bound) + ":" + door.port(listener));
        }
        String line = "highwater ready: kafka=" + addresses + " data="
                + String.join(",", config.storage().logDirs()) + " node=" + node.nodeId() + " cluster="
                + node.clusterId() + role(config.node()) + " in " + millis(enteredNanos) + " ms";
        if (loopbackOnly) {
            line += " (open to this machine only; for others start with --override listeners=PLAINTEXT://0.0.0.0:"
                    + door.port(0) + ")";
        }
        return line;
    }

    /** Of a node of one role; one of both says nothing of it. */
    private static String role(NodeConfig node) {
        if (node.broker() && node.controller()) {
            return "";
        }
        return " role=" + (node.broker() ? "broker" : "controller");
    }

    private static String text(InetAddress address) {
        String host = address.getHostAddress();
        if (address.isAnyLocalAddress()) {
            return "0.0.0.0";
        }
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    /** Since the process began; since main was entered if the system does not tell, or if the launcher built the program first. */
    private static long millis(long enteredNanos) {
        long sinceMain = (System.nanoTime() - enteredNanos) / 1_000_000;
        long sinceStart = ProcessHandle.current()
                .info()
                .startInstant()
                .map(begin -> Instant.now().toEpochMilli() - begin.toEpochMilli())
                .orElse(sinceMain);
        return sinceStart > sinceMain + LONGEST_LAUNCH_MILLIS ? sinceMain : Math.max(sinceMain, sinceStart);
    }
}
