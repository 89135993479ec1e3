package node;

import common.Peers;
import java.util.ArrayList;
import java.util.List;
import raft.Endpoint;
import raft.RaftNode;

/** Which node is the active controller, for all that this node knows. Confined to loop 0. */
final class ActiveController {
    private final List<Runnable> listeners = new ArrayList<>();
    private State state = new State(-1, -1, false, null);

    /** All of it at one moment. */
    private record State(int id, int epoch, boolean local, Peers.Address address) {}

    /** Its node id, -1 when unknown. */
    int id() {
        return state.id;
    }

    /** Of its leadership; that of the latest known one when {@link #id} is unknown. */
    int epoch() {
        return state.epoch;
    }

    /** It is this node, and it decides: a record of its epoch is committed. */
    boolean local() {
        return state.local;
    }

    /** Where its controller listens; null when unknown, and when it is this node. */
    Peers.Address address() {
        return state.address;
    }

    /** Runs after each change of any of it. */
    void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /** @param deciding see {@link #local} */
    void update(int self, RaftNode raft, boolean deciding) {
        int leader = raft.leaderId();
        is(leader, raft.epoch(), deciding, leader == self ? null : address(raft.leaderEndpoints()));
    }

    void is(int id, int epoch, boolean local, Peers.Address address) {
        State next = new State(id, epoch, local, address);
        if (!next.equals(state)) {
            state = next;
            List.copyOf(listeners).forEach(Runnable::run);
        }
    }

    private static Peers.Address address(List<Endpoint> endpoints) {
        return endpoints.isEmpty()
                ? null
                : new Peers.Address(endpoints.get(0).host(), endpoints.get(0).port());
    }
}
