package group;

import common.Callback;
import coordinator.Result;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import records.schemas.GroupRecord;

/** A member of a classic group. Confined to its group. */
final class ClassicMember {
    /**
     * Who it is.
     *
     * @param instanceId of a static member, else null
     * @param clientHost in Kafka's form, "/127.0.0.1"
     */
    record Identity(String memberId, String instanceId, String clientId, String clientHost) {
        /** Lengths and time-outs of a member in a record take less. */
        private static final int OVERHEAD = 48;
        /** Of UTF-8. */
        private static final int MOST_PER_CHAR = 3;

        Identity as(String newMemberId) {
            return new Identity(newMemberId, instanceId, clientId, clientHost);
        }

        int recordBytes() {
            int chars = memberId.length() + clientId.length() + clientHost.length();
            chars += instanceId == null ? 0 : instanceId.length();
            return OVERHEAD + MOST_PER_CHAR * chars;
        }
    }

    private final Identity identity;
    private List<ClassicProtocol> protocols;
    private Set<String> protocolNames;
    private int recordBytes;
    private long bytes;
    private int rebalanceTimeoutMillis;
    private int sessionTimeoutMillis;
    private byte[] assignment = nothing();
    private boolean fresh;
    private Callback<JoinGroupResponseData> join;
    private Callback<SyncGroupResponseData> sync;
    private Object timerKey;
    private Supplier<Result<GroupRecord, Void>> expiry;

    ClassicMember(
            Identity identity, int rebalanceTimeoutMillis, int sessionTimeoutMillis, List<ClassicProtocol> protocols) {
        this.identity = identity;
        offer(rebalanceTimeoutMillis, sessionTimeoutMillis, protocols);
    }

    /** An empty assignment. */
    static byte[] nothing() {
        return new byte[0];
    }

    /** What a JoinGroup of a known member may change. */
    void offer(int newRebalanceTimeoutMillis, int newSessionTimeoutMillis, List<ClassicProtocol> newProtocols) {
        rebalanceTimeoutMillis = newRebalanceTimeoutMillis;
        sessionTimeoutMillis = newSessionTimeoutMillis;
        protocols = List.copyOf(newProtocols);
        protocolNames = new LinkedHashSet<>();
        newProtocols.forEach(each -> protocolNames.add(each.name()));
        recordBytes = recordBytes(identity, newProtocols);
        bytes = Footprint.of(identity, newProtocols);
    }

    /** The most that such a member takes in a record of its group, without what it is given. */
    static int recordBytes(Identity identity, List<ClassicProtocol> protocols) {
        int metadataBytes = 0;
        for (ClassicProtocol each : protocols) {
            metadataBytes = Math.max(metadataBytes, each.metadata().length);
        }
        return identity.recordBytes() + metadataBytes;
    }

    /** As {@link #recordBytes(Identity, List)}, of this one. */
    int recordBytes() {
        return recordBytes;
    }

    /** On the heap, without what it is given. */
    long bytes() {
        return bytes;
    }

    Identity identity() {
        return identity;
    }

    String id() {
        return identity.memberId();
    }

    /** null for a dynamic member. */
    String instanceId() {
        return identity.instanceId();
    }

    boolean isStatic() {
        return identity.instanceId() != null;
    }

    int rebalanceTimeoutMillis() {
        return rebalanceTimeoutMillis;
    }

    int sessionTimeoutMillis() {
        return sessionTimeoutMillis;
    }

    /** In the member's order of preference. */
    List<ClassicProtocol> protocols() {
        return protocols;
    }

    /** Without repetitions, in its order of preference. */
    Set<String> protocolNames() {
        return protocolNames;
    }

    /** What it says to the assignor {@code protocol}; empty when it does not offer it. */
    byte[] metadata(String protocol) {
        for (ClassicProtocol each : protocols) {
            if (each.name().equals(protocol)) {
                return each.metadata();
            }
        }
        return nothing();
    }

    byte[] assignment() {
        return assignment;
    }

    void assign(byte[] bytes) {
        assignment = bytes;
    }

    /** Its first JoinGroup was not answered yet: it does not know its id for sure, and cannot heartbeat. */
    boolean isFresh() {
        return fresh;
    }

    void fresh(boolean now) {
        fresh = now;
    }

    boolean awaitsJoin() {
        return join != null;
    }

    boolean awaitsSync() {
        return sync != null;
    }

    /** Parks a JoinGroup (null: none); returns the one parked before, or null. */
    Callback<JoinGroupResponseData> park(Callback<JoinGroupResponseData> newJoin) {
        Callback<JoinGroupResponseData> before = join;
        join = newJoin;
        return before;
    }

    /** As {@link #park}, a SyncGroup. */
    Callback<SyncGroupResponseData> parkSync(Callback<SyncGroupResponseData> newSync) {
        Callback<SyncGroupResponseData> before = sync;
        sync = newSync;
        return before;
    }

    /** What its session timer does, and under which key; kept, as heartbeats restart the timer all the time. */
    void session(Object key, Supplier<Result<GroupRecord, Void>> task) {
        timerKey = key;
        expiry = task;
    }

    Object timerKey() {
        return timerKey;
    }

    Supplier<Result<GroupRecord, Void>> expiry() {
        return expiry;
    }
}
