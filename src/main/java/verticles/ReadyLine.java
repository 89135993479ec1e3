package verticles;

import config.BrokerConfig;
import config.NodeConfig;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.StringJoiner;
import node.NodeAssembly;

/** The one line that says that the node serves, for people and scripts. */
final class ReadyLine {
    private static final long LONGEST_LAUNCH_MILLIS = 10_000;

    private ReadyLine() {}

    static String of(BrokerConfig config, Doors doors, NodeAssembly.Started node, long enteredNanos) {
        String line = "highwater ready:" + addresses(" kafka=", doors.clients())
                + addresses(" controller=", doors.controllers()) + " data="
                + String.join(",", config.storage().logDirs()) + " node=" + node.nodeId() + " cluster="
                + node.clusterId() + role(config.node()) + " in " + millis(enteredNanos) + " ms";
        List<Door.Address> bound = doors.clients().addresses();
        boolean loopbackOnly =
                bound.stream().allMatch(each -> each.bind().getAddress().isLoopbackAddress());
        if (loopbackOnly && !bound.isEmpty()) {
            line += " (open to this machine only; for others start with --override listeners=PLAINTEXT://0.0.0.0:"
                    + doors.clients().port(0) + ")";
        }
        return line;
    }

    private static String addresses(String label, Door door) {
        StringJoiner addresses = new StringJoiner(",", label, "").setEmptyValue("");
        for (int listener = 0; listener < door.addresses().size(); listener++) {
            addresses.add(text(door.addresses().get(listener).bind().getAddress()) + ":" + door.port(listener));
        }
        return addresses.toString();
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
