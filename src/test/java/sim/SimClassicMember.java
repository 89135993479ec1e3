package sim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * A member that speaks the classic protocol: joins, syncs, heartbeats. Loses answers. Reports what it is told to its group's judges: where KIP-848 members are in the
 * group too, who owns what; else generations and what leaders said.
 */
final class SimClassicMember extends SimMember {
    private static final String PROTOCOL = "dealer";
    private static final String CONSUMER = "consumer";
    private static final int NO_GENERATION = -1;

    private final Spec spec;
    private final boolean mixed;
    private int generation = NO_GENERATION;
    private List<String> owned = List.of();
    private boolean stable;
    private int proposals;

    /** @param instanceId null: a dynamic member */
    record Spec(String instanceId, short join, short sync, short heartbeat, short leave) {}

    SimClassicMember(SimNet net, SimRandom random, String name, SimGroup group, Spec spec) {
        super(net, random, name, group);
        this.spec = spec;
        this.mixed = group.spec.kind() == SimGroup.Kind.MIXED;
    }

    @Override
    public int settledAt() {
        return stable ? generation : NO_GENERATION;
    }

    @Override
    public List<String> owned() {
        return owned;
    }

    // ---- taking part

    @Override
    void takePart() {
        if (stable) {
            heartbeat();
        } else {
            join();
        }
    }

    @Override
    void beginAnew() {
        forget();
        memberId = "";
    }

    /** Eager: it gives up all that it has before it joins again. */
    private void forget() {
        if (mixed) {
            group.owners.releasedAll(memberId, net.scheduler().now());
        }
        stable = false;
        generation = NO_GENERATION;
        owned = List.of();
    }

    private void send(ApiKeys key, short version, ApiMessage request, int patience, Answer then) {
        busy = true;
        String as = memberId;
        control.link().send(key, version, request, patience, true, answer -> {
            busy = false;
            if (answer == null && key == ApiKeys.JOIN_GROUP && mixed) {
                // It may arrive late, and says then that the member has nothing.
                group.owners.unanswered(as, Set.of());
            }
            // What comes for an identity that was given up meanwhile concerns nobody.
            if (answer != null && as.equals(memberId)) {
                then.handle(answer);
            }
        });
    }

    private interface Answer {
        void handle(ApiMessage answer);
    }

    private void join() {
        JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        protocols.add(new JoinGroupRequestProtocol()
                .setName(PROTOCOL)
                .setMetadata(SimAssignments.subscription(group.topics())));
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(group.id)
                .setMemberId(memberId)
                .setProtocolType(CONSUMER)
                .setSessionTimeoutMs(group.spec.sessionMillis())
                .setProtocols(protocols);
        if (spec.join >= 1) {
            request.setRebalanceTimeoutMs(group.spec.rebalanceMillis());
        }
        if (spec.join >= 5) {
            request.setGroupInstanceId(spec.instanceId);
        }
        int newest = group.generations.newest();
        boolean patient = !misbehaving() || random.chance(0.9);
        int patience = patient ? group.spec.rebalanceMillis() * 2 + 5_000 : 200;
        send(
                ApiKeys.JOIN_GROUP,
                spec.join,
                request,
                patience,
                answer -> joined((JoinGroupResponseData) answer, newest));
    }

    private void joined(JoinGroupResponseData answer, int newest) {
        Errors error = Errors.forCode(answer.errorCode());
        net.count("join." + error);
        if (error == Errors.NONE) {
            memberId = answer.memberId();
            generation = answer.generationId();
            boolean leads = answer.leader().equals(memberId) && !answer.skipAssignment();
            List<String> places = answer.members().isEmpty()
                    ? null
                    : answer.members().stream().map(this::place).sorted().toList();
            if (mixed) {
                net.count(answer.leader().isEmpty() ? "join.by-coordinator" : "join.by-leader");
            } else {
                group.generations.joined(generation, memberId, spec.instanceId, places, newest);
            }
            sync(leads ? places : null, answer);
        } else if (error == Errors.MEMBER_ID_REQUIRED) {
            memberId = answer.memberId();
            join();
        } else {
            refused(error, "JoinGroup");
        }
    }

    private String place(JoinGroupResponseMember member) {
        return member.groupInstanceId() == null ? member.memberId() : member.groupInstanceId();
    }

    private String place() {
        return spec.instanceId == null ? memberId : spec.instanceId;
    }

    /** @param places of all members, null unless it leads */
    private void sync(List<String> places, JoinGroupResponseData joined) {
        if (!control.ready()) {
            return;
        }
        SyncGroupRequestData request = new SyncGroupRequestData()
                .setGroupId(group.id)
                .setMemberId(memberId)
                .setGenerationId(generation);
        if (spec.sync >= 3) {
            request.setGroupInstanceId(spec.instanceId);
        }
        if (spec.sync >= 5) {
            request.setProtocolType(CONSUMER).setProtocolName(PROTOCOL);
        }
        if (places != null) {
            // What an assignor keeps there would be lost in an upgrade, which so would be refused.
            String proposal = mixed ? null : generation + "#" + name + "#" + proposals++;
            Map<String, byte[]> assignments = SimAssignments.deal(proposal, places, group.partitions, random);
            if (!mixed) {
                group.generations.proposed(proposal, assignments);
            }
            Map<String, String> ids = new LinkedHashMap<>();
            joined.members().forEach(each -> ids.put(place(each), each.memberId()));
            assignments.forEach((place, bytes) -> request.assignments()
                    .add(new SyncGroupRequestAssignment()
                            .setMemberId(ids.get(place))
                            .setAssignment(bytes)));
        }
        long begun = net.scheduler().now();
        send(
                ApiKeys.SYNC_GROUP,
                spec.sync,
                request,
                group.spec.rebalanceMillis() * 2 + 5_000,
                answer -> synced((SyncGroupResponseData) answer, begun));
    }

    private void synced(SyncGroupResponseData answer, long begun) {
        Errors error = Errors.forCode(answer.errorCode());
        net.count("sync." + error);
        if (error != Errors.NONE) {
            refused(error, "SyncGroup");
            return;
        }
        byte[] assignment = answer.assignment();
        if (assignment.length == 0) {
            throw new RuleBroken("G4 what the leader said", name + " got nothing in generation " + generation);
        }
        if (!mixed) {
            group.generations.assigned(generation, place(), SimAssignments.proposal(assignment), assignment);
        }
        owned = SimAssignments.partitions(assignment);
        stable = true;
        holds(begun);
    }

    /** The answer to what it sent at {@code begun} leaves it what it has. */
    private void holds(long begun) {
        if (mixed) {
            group.owners.holds(
                    memberId,
                    new TreeSet<>(owned),
                    false,
                    begun,
                    net.scheduler().now());
        }
    }

    private void heartbeat() {
        HeartbeatRequestData request = new HeartbeatRequestData()
                .setGroupId(group.id)
                .setMemberId(memberId)
                .setGenerationId(generation);
        if (spec.heartbeat >= 3) {
            request.setGroupInstanceId(spec.instanceId);
        }
        long begun = net.scheduler().now();
        send(ApiKeys.HEARTBEAT, spec.heartbeat, request, 2_000, answer -> {
            Errors error = Errors.forCode(((HeartbeatResponseData) answer).errorCode());
            net.count("heartbeat." + error);
            if (error == Errors.NONE) {
                holds(begun);
            } else {
                refused(error, "Heartbeat");
            }
        });
    }

    private void refused(Errors error, String what) {
        switch (error) {
            case REBALANCE_IN_PROGRESS, ILLEGAL_GENERATION -> {
                forget();
                soon();
            }
            case UNKNOWN_MEMBER_ID -> {
                beginAnew();
                soon();
            }
            case FENCED_INSTANCE_ID -> {
                if (spec.instanceId == null) {
                    throw new RuleBroken("V3 errors", error + " for " + what + " of " + name);
                }
                beginAnew();
                pause();
            }
            default -> {
                if (!control.later(error)) {
                    throw new RuleBroken("V3 errors", error + " for " + what + " of " + name);
                }
                // A rebalance under way died with its coordinator; a stable group goes on.
                if (!stable) {
                    generation = NO_GENERATION;
                }
            }
        }
    }

    @Override
    boolean mayLeave() {
        return !memberId.isEmpty();
    }

    @Override
    void sayGoodbye() {
        LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId(group.id);
        if (spec.leave >= 3) {
            request.setMembers(
                    List.of(new MemberIdentity().setMemberId(memberId).setGroupInstanceId(spec.instanceId)));
        } else {
            request.setMemberId(memberId);
        }
        control.link().send(ApiKeys.LEAVE_GROUP, spec.leave, request, 2_000, true, answer -> {});
    }

    // ---- offsets

    @Override
    SimOffsets.Identity who() {
        return new SimOffsets.Identity(memberId, spec.instanceId, generation);
    }

    @Override
    boolean mayCommit() {
        return generation >= 0;
    }

    @Override
    SimOffsets.Identity reader() {
        return null;
    }

    @Override
    String forbidden(SimOffsets.Identity who, String partition) {
        if (mixed) {
            String owner = group.owners.newestOwner(partition);
            boolean current = who.memberId().equals(memberId) && who.epoch() == generation;
            return owner == null || owner.equals(who.memberId()) || current ? null : "it had gone to " + owner;
        }
        int newest = group.generations.newest();
        if (who.epoch() < newest) {
            return "generation " + newest + " had begun";
        }
        String holder = who.instanceId() == null ? null : group.generations.holder(who.instanceId());
        if (holder != null && !holder.equals(who.memberId())) {
            return "the place of " + who.instanceId() + " had gone to " + holder;
        }
        return null;
    }
}
