package protocol;

import common.Callback;
import common.Mailboxes;
import common.OwnerCall;
import common.OwnerId;
import controller.Controller;
import controller.ControllerMachine;
import controller.Decision;
import highwater.metadata.MetadataRecord;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;
import metadata.MetadataImage;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import replication.ReplicaShard;

/** A node of one loop without logs: the real controller machine answers at once, and its records are true at once. */
final class MachineMailboxes implements Mailboxes {
    private final ControllerMachine machine;
    private final Controller controller;
    private final ReplicaShard shard;

    MachineMailboxes(ControllerMachine machine) {
        this.machine = machine;
        this.controller = proxy(Controller.class, this::decide);
        this.shard = proxy(ReplicaShard.class, (proxy, method, arguments) -> {
            Callback<?> done = (Callback<?>) arguments[arguments.length - 1];
            answer(done, List.of());
            return null;
        });
    }

    MetadataImage image() {
        return machine.latest();
    }

    void replay(List<MetadataRecord> records) {
        machine.replay(records, machine.latest().version());
    }

    private Object decide(Object proxy, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        Callback<?> done = (Callback<?>) arguments[1];
        if (method.getName().equals("describeQuorum")) {
            answer(done, new DescribeQuorumResponseData());
            return null;
        }
        if (method.getName().equals("addRaftVoter")) {
            answer(done, new AddRaftVoterResponseData());
            return null;
        }
        if (method.getName().equals("removeRaftVoter")) {
            answer(done, new RemoveRaftVoterResponseData());
            return null;
        }
        try {
            Decision<?> decision = (Decision<?>) ControllerMachine.class
                    .getMethod(method.getName(), method.getParameterTypes()[0])
                    .invoke(machine, arguments[0]);
            replay(decision.records());
            answer(done, decision.answer());
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        return null;
    }

    @SuppressWarnings("unchecked")
    private static <T> void answer(Callback<T> done, Object value) {
        done.succeed((T) value);
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public <O, T> void call(OwnerId<O> to, OwnerCall<O, T> call, long timeoutMillis, Callback<T> done) {
        Object owner = to.type() == Controller.class ? controller : shard;
        call.run(to.type().cast(owner), done);
    }

    @Override
    public <O> void tell(OwnerId<O> to, Consumer<O> message) {
        throw new UnsupportedOperationException();
    }
}
