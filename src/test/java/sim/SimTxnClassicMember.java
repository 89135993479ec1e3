package sim;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** A job's process that has all partitions, alone; or what its classic group gives it, with a generation that fences it when others have them (KIP-447). */
final class SimTxnClassicMember implements SimTxnMember {
    private static final String PROTOCOL = "share";
    private static final int NONE = -1;

    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final Spec spec;
    private final SimCoordination coordination;
    private String memberId = "";
    private int generation = NONE;
    private List<Integer> partitions = List.of();
    private boolean stable;
    private boolean busy;
    private boolean stopped;

    SimTxnClassicMember(SimNet net, SimRandom random, String name, Spec spec) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.spec = spec;
        this.coordination = new SimCoordination(net, random, name + "/group", spec.group(), () -> busy = false);
        if (spec.alone()) {
            stable = true;
            partitions = all();
        }
    }

    private List<Integer> all() {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < spec.partitions(); i++) {
            all.add(i);
        }
        return all;
    }

    @Override
    public void start() {
        coordination.start();
        if (!spec.alone()) {
            beat();
        }
    }

    @Override
    public void stop() {
        stopped = true;
        coordination.stop();
    }

    @Override
    public SimCoordination coordination() {
        return coordination;
    }

    @Override
    public boolean stable() {
        return stable;
    }

    @Override
    public List<Integer> partitions() {
        return partitions;
    }

    @Override
    public SimTxnClient.Member identity() {
        return new SimTxnClient.Member(spec.group(), memberId, generation);
    }

    private void beat() {
        long wait = 1L + random.below(Math.max(1, spec.sessionMillis() / 4));
        net.scheduler().after(wait * SimScheduler.MILLI, null, "txn-member", () -> {
            if (stopped) {
                return;
            }
            if (!busy && coordination.ready()) {
                if (stable) {
                    heartbeat();
                } else {
                    join();
                }
            }
            beat();
        });
    }

    private interface Answer {
        void handle(ApiMessage answer);
    }

    private void send(ApiKeys key, int version, ApiMessage request, int patience, Answer then) {
        busy = true;
        coordination.link().send(key, (short) version, request, patience, true, answer -> {
            busy = false;
            if (answer != null && !stopped) {
                then.handle(answer);
            }
        });
    }

    private int patience() {
        return 2 * spec.rebalanceMillis() + 5_000;
    }

    private void join() {
        JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        protocols.add(new JoinGroupRequestProtocol().setName(PROTOCOL).setMetadata(new byte[0]));
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(spec.group())
                .setMemberId(memberId)
                .setProtocolType("job")
                .setSessionTimeoutMs(spec.sessionMillis())
                .setRebalanceTimeoutMs(spec.rebalanceMillis())
                .setProtocols(protocols);
        send(ApiKeys.JOIN_GROUP, 5, request, patience(), answer -> joined((JoinGroupResponseData) answer));
    }

    private void joined(JoinGroupResponseData answer) {
        Errors error = Errors.forCode(answer.errorCode());
        if (error == Errors.MEMBER_ID_REQUIRED) {
            memberId = answer.memberId();
            return;
        }
        if (error != Errors.NONE) {
            refused(error, "JoinGroup");
            return;
        }
        memberId = answer.memberId();
        generation = answer.generationId();
        SyncGroupRequestData request = new SyncGroupRequestData()
                .setGroupId(spec.group())
                .setMemberId(memberId)
                .setGenerationId(generation);
        int members = answer.members().size();
        for (int i = 0; i < members; i++) {
            StringBuilder share = new StringBuilder();
            for (int partition = i; partition < spec.partitions(); partition += members) {
                share.append(partition).append(' ');
            }
            request.assignments()
                    .add(new SyncGroupRequestAssignment()
                            .setMemberId(answer.members().get(i).memberId())
                            .setAssignment(share.toString().getBytes(StandardCharsets.UTF_8)));
        }
        if (coordination.ready()) {
            send(ApiKeys.SYNC_GROUP, 3, request, patience(), synced -> synced((SyncGroupResponseData) synced));
        }
    }

    private void synced(SyncGroupResponseData answer) {
        Errors error = Errors.forCode(answer.errorCode());
        if (error != Errors.NONE) {
            refused(error, "SyncGroup");
            return;
        }
        String share = new String(answer.assignment(), StandardCharsets.UTF_8).trim();
        partitions = new ArrayList<>();
        for (String each : share.isEmpty() ? new String[0] : share.split(" ", -1)) {
            partitions.add(Integer.parseInt(each));
        }
        stable = true;
        net.count("txn.assignments");
    }

    private void heartbeat() {
        HeartbeatRequestData request = new HeartbeatRequestData()
                .setGroupId(spec.group())
                .setMemberId(memberId)
                .setGenerationId(generation);
        send(ApiKeys.HEARTBEAT, 3, request, 2_000, answer -> {
            Errors error = Errors.forCode(((HeartbeatResponseData) answer).errorCode());
            if (error != Errors.NONE) {
                refused(error, "Heartbeat");
            }
        });
    }

    private void refused(Errors error, String what) {
        switch (error) {
            case REBALANCE_IN_PROGRESS, ILLEGAL_GENERATION -> forget();
            case UNKNOWN_MEMBER_ID -> {
                forget();
                memberId = "";
            }
            default -> {
                if (!coordination.later(error)) {
                    throw new RuleBroken("V3 errors", error + " for " + what + " of " + name);
                }
            }
        }
    }

    private void forget() {
        stable = false;
        generation = NONE;
        partitions = List.of();
    }
}
