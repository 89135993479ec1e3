package raft;

import common.InvariantViolation;
import common.Mutations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import sim.RuleBroken;
import sim.SimRandom;

/**
 * Runs a scenario that is a text: each line that begins with {@code >} is a command, what follows up to an empty line is what changed. Messages and disks take
 * no time; a clock moves only for nodes of which a command says so. The commands:
 *
 * <pre>
 *  cluster V [O]        V voters, O observers behind them
 *  elect N              all take their leader's process for gone; only N's clock moves, until it leads, two seconds at most
 *  propose N a b c      clients' records, to the leader N
 *  time N,M|all MS      the clocks of these nodes
 *  cut N M | cut N>M    nothing gets through (that way); isolate N; heal
 *  disk N stuck|well    whether its fsyncs end
 *  crash N; start N     what is not fsynced is lost; gone N: who is connected notices
 *  wipe N; rot N OFF    of a node that is down: another disk; a durable log that is damaged from an offset on
 *  add L N; remove L N  voters, asked of the leader L
 *  snapshot N           of all that N knows to be committed; its log begins there
 *  resign N; log        the leader gives up; shows all
 * </pre>
 */
final class RaftScript implements ReplicaHost.World {
    private static final long STEP_MILLIS = 50;
    private static final int ELECT_STEPS = 40;

    private final Map<Integer, Node> nodes = new TreeMap<>();
    private final List<ReplicaDisk> disks = new ArrayList<>();
    private final RaftChecker checker = new RaftChecker(disks);
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private final Set<String> cuts = new LinkedHashSet<>();
    private final Map<Long, Asked> asked = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();
    private final SimRandom random = new SimRandom(1);
    private final Mutations mutations;
    private long lastToken;
    private int voters;
    private List<VoterSet.Voter> first = List.of();

    private record Asked(ReplicaHost from, long correlation, RaftRequest request, String name) {}

    /** A node: its disk, its clock, its process if it has one. */
    private static final class Node {
        private final int id;
        private ReplicaDisk disk;
        private ReplicaHost host;
        private boolean wiped;
        private boolean stuck;
        private long clock;
        private long wakeAt = Long.MAX_VALUE;
        private long damagedFrom = -1;
        private final List<String> roles = new ArrayList<>();
        private final List<Runnable> syncs = new ArrayList<>();
        private String shown = "";

        private Node(int id) {
            this.id = id;
        }

        private String text() {
            String role = roles.isEmpty() ? (host == null ? "down" : role(host.last())) : String.join(", ", roles);
            String log = disk.toString();
            String unsynced = disk.durableEnd() < disk.end().offset() ? ", fsynced " + disk.durableEnd() : "";
            String high = host == null ? "" : " | hw " + Math.max(0, host.last().highWatermark());
            return role + " | " + (log.isEmpty() ? "empty" : log) + unsynced + high;
        }

        private static String role(RaftOutput output) {
            RaftOutput.Standing now = output.standing();
            String of = now.role() == RaftOutput.Role.FOLLOWER ? " of " + now.leaderId() : "";
            return (now.voter() ? "" : "observer ") + now.role().name().toLowerCase(Locale.ROOT) + " " + now.epoch()
                    + of;
        }
    }

    RaftScript(Mutations mutations) {
        this.mutations = mutations;
    }

    /** The script with what really changed. */
    static String run(String script, Mutations mutations) {
        RaftScript run = new RaftScript(mutations);
        StringBuilder out = new StringBuilder();
        boolean skipping = false;
        for (String line : script.split("\n", -1)) {
            if (line.startsWith(">")) {
                out.append(line).append('\n');
                run.command(line.substring(1).trim())
                        .forEach(each -> out.append(each).append('\n'));
                out.append('\n');
                skipping = true;
            } else if (line.startsWith("#") || !skipping) {
                out.append(line).append('\n');
                skipping = false;
            } else {
                skipping = !line.isEmpty();
            }
        }
        return out.toString().strip() + "\n";
    }

    /** Prints a script as it runs: {@code raft.RaftScript FILE}. */
    public static void main(String[] args) throws IOException {
        System.out.print(run(Files.readString(Path.of(args[0])), args.length > 1 ? args[1]::equals : Mutations.NONE));
    }

    private List<String> command(String line) {
        notes.clear();
        try {
            execute(line.split(" ", -1));
            settle();
        } catch (RuleBroken | InvariantViolation e) {
            notes.add("BROKEN: " + e.getMessage());
        }
        List<String> changed = new ArrayList<>(notes);
        for (Node each : nodes.values()) {
            String text = each.text();
            if (!text.equals(each.shown) || line.equals("log")) {
                changed.add(each.id + ": " + text);
            }
            each.roles.clear();
            each.shown = each.text();
        }
        return changed;
    }

    private void execute(String[] words) {
        switch (words[0]) {
            case "cluster" -> cluster(Integer.parseInt(words[1]), words.length > 2 ? Integer.parseInt(words[2]) : 0);
            case "elect" -> elect(node(words[1]));
            case "propose" -> {
                for (int i = 2; i < words.length; i++) {
                    if (!node(words[1]).host.propose(words[i].charAt(0) - 'a' + 1)) {
                        notes.add(words[1] + " does not lead");
                    }
                    settle();
                }
            }
            case "time" -> time(words[1], Long.parseLong(words[2]));
            case "cut" -> cut(words);
            case "isolate" ->
                nodes.keySet().forEach(other -> {
                    cuts.add(words[1] + ">" + other);
                    cuts.add(other + ">" + words[1]);
                });
            case "heal" -> cuts.clear();
            case "disk" -> disk(node(words[1]), words[2].equals("stuck"));
            case "add", "remove" -> voters(words[0], node(words[1]), node(words[2]));
            case "snapshot" -> {
                node(words[1]).host.snapshot();
                node(words[1]).host.shorten();
            }
            case "resign" -> node(words[1]).host.resign();
            case "log" -> {}
            default -> process(words);
        }
    }

    private void process(String[] words) {
        Node node = node(words[1]);
        switch (words[0]) {
            case "crash" -> {
                node.host.die(false, 0);
                node.host = null;
                node.syncs.clear();
            }
            case "start" -> start(node);
            case "gone" ->
                nodes.values().forEach(each -> {
                    if (each.host != null) {
                        each.host.processGone(node.id);
                    }
                });
            case "wipe" -> {
                disks.remove(node.disk);
                node.disk = disk(node.id);
                node.wiped = true;
            }
            case "rot" -> {
                checker.damages(node.disk.key, node.disk.durableEnd());
                node.damagedFrom = Long.parseLong(words[2]);
                node.disk.truncate(node.damagedFrom);
            }
            default -> throw new IllegalArgumentException("unknown command " + words[0]);
        }
    }

    private Node node(String id) {
        return nodes.get(Integer.parseInt(id));
    }

    private ReplicaDisk disk(int id) {
        ReplicaDisk made = new ReplicaDisk(new ReplicaKey(id, random.nextLong(), random.nextLong()));
        disks.add(made);
        return made;
    }

    private void cluster(int voting, int observers) {
        voters = voting;
        for (int id = 1; id <= voting + observers; id++) {
            Node node = new Node(id);
            node.disk = disk(id);
            nodes.put(id, node);
        }
        first = new ArrayList<>();
        for (int id = 1; id <= voting; id++) {
            first.add(new VoterSet.Voter(nodes.get(id).disk.key, Entry.endpoints(id)));
        }
        nodes.values().forEach(this::start);
    }

    private void start(Node node) {
        List<Endpoint> bootstrap = new ArrayList<>();
        nodes.keySet().forEach(id -> bootstrap.addAll(Entry.endpoints(id)));
        boolean knows = node.id <= voters && !node.wiped;
        RaftNode.Setup setup = new RaftNode.Setup(
                node.disk.key,
                Entry.endpoints(node.id),
                knows ? new VoterSet(first) : VoterSet.EMPTY,
                bootstrap,
                RaftSim.TIMEOUTS,
                "cluster",
                new SimRandom(node.id),
                mutations);
        node.host = new ReplicaHost(this, node.disk, setup);
        node.host.start(node.damagedFrom);
        node.damagedFrom = -1;
    }

    private void elect(Node node) {
        for (Node each : nodes.values()) {
            if (each.host != null && each.host.last().standing().leaderId() >= 0) {
                each.host.processGone(each.host.last().standing().leaderId());
            }
        }
        settle();
        for (int i = 0; i < ELECT_STEPS && node.host.role() != RaftOutput.Role.LEADER; i++) {
            node.clock += STEP_MILLIS;
            node.host.tick();
            settle();
        }
        if (node.host.role() != RaftOutput.Role.LEADER) {
            notes.add(node.id + " does not win");
        }
    }

    private void time(String which, long millis) {
        Set<Integer> moving = new TreeSet<>();
        if (which.equals("all")) {
            moving.addAll(nodes.keySet());
        } else {
            for (String each : which.split(",", -1)) {
                moving.add(Integer.parseInt(each));
            }
        }
        for (long passed = 0; passed < millis; passed += STEP_MILLIS) {
            for (int id : moving) {
                Node node = nodes.get(id);
                node.clock += STEP_MILLIS;
                if (node.host != null && node.wakeAt <= node.clock) {
                    node.host.tick();
                }
                settle();
            }
        }
    }

    private void cut(String[] words) {
        if (words[1].contains(">")) {
            cuts.add(words[1]);
        } else {
            cuts.add(words[1] + ">" + words[2]);
            cuts.add(words[2] + ">" + words[1]);
        }
    }

    private void disk(Node node, boolean stuck) {
        node.stuck = stuck;
        if (!stuck) {
            queue.addAll(node.syncs);
            node.syncs.clear();
        }
    }

    private void voters(String what, Node leader, Node node) {
        long token = ++lastToken;
        String name = what + " " + node.id;
        RaftRequest request = what.equals("add")
                ? new RaftRequest.AddVoter(
                        "cluster", new VoterSet.Voter(node.disk.key, Entry.endpoints(node.id)), 1_000, true)
                : new RaftRequest.RemoveVoter(
                        "cluster",
                        leader.host.node().voters().voter(node.id) == null
                                ? node.disk.key
                                : leader.host.node().voters().voter(node.id).key());
        asked.put(token, new Asked(null, 0, request, name));
        leader.host.request(token, request);
    }

    private void settle() {
        while (!queue.isEmpty()) {
            queue.removeFirst().run();
        }
    }

    // What replicas do.

    private Node of(ReplicaHost host) {
        return nodes.get(host.id());
    }

    @Override
    public long now(ReplicaHost host) {
        return of(host).clock;
    }

    @Override
    public void disk(ReplicaHost host, String what, Runnable action) {
        Runnable whole = () -> {
            if (host.alive()) {
                action.run();
            }
        };
        if (what.equals("sync") && of(host).stuck) {
            of(host).syncs.add(whole);
        } else {
            queue.addLast(whole);
        }
    }

    @Override
    public void send(ReplicaHost from, RaftOutput.Send send) {
        checker.sends(from, send.request());
        int target = send.to().id() >= 0
                ? send.to().id()
                : send.to().endpoints().get(0).port();
        queue.addLast(() -> {
            ReplicaHost there = nodes.get(target).host;
            if (cuts.contains(from.id() + ">" + target) || !from.alive()) {
                return;
            }
            if (there == null) {
                from.failed(send.correlation());
                return;
            }
            long token = ++lastToken;
            asked.put(token, new Asked(from, send.correlation(), send.request(), ""));
            there.request(token, send.request());
        });
    }

    @Override
    public void reply(ReplicaHost from, RaftOutput.Reply reply) {
        Asked to = asked.remove(reply.token());
        if (to.from == null) {
            notes.add(to.name + ": " + reply.response().head().error());
            return;
        }
        checker.replies(from, to.request, reply.response());
        queue.addLast(() -> {
            if (to.from.alive() && !cuts.contains(from.id() + ">" + to.from.id())) {
                to.from.response(to.correlation, reply.response());
            }
        });
    }

    @Override
    public void wakeAt(ReplicaHost host, long instant) {
        of(host).wakeAt = instant;
    }

    @Override
    public void observe(ReplicaHost host, RaftOutput before, RaftOutput output) {
        if (before == null || !before.standing().equals(output.standing())) {
            of(host).roles.add(Node.role(output));
        }
        output.tasks().forEach(each -> {
            if (each instanceof RaftOutput.Truncate cut) {
                notes.add(host.id() + " truncates to " + cut.end());
            } else if (each instanceof RaftOutput.InstallSnapshot install) {
                notes.add(host.id() + " installs the snapshot " + install.snapshot());
            }
        });
        checker.observe(host, before, output);
    }

    @Override
    public void appended(ReplicaHost host, long from) {
        checker.appended(host, from);
    }
}
