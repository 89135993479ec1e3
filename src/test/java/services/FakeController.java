package services;

import common.Callback;
import common.FailureCode;
import controller.Controller;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.ApiMessage;

/** A controller that keeps its requests and answers what the test tells it to. */
public final class FakeController {
    private final List<ApiMessage> requests = new ArrayList<>();
    private ApiMessage answer;

    public List<ApiMessage> requests() {
        return requests;
    }

    /** What the next calls are answered with; null: they fail as after a change of the active controller. */
    public FakeController answering(ApiMessage message) {
        answer = message;
        return this;
    }

    public Controller asController() {
        InvocationHandler handler = (proxy, method, arguments) -> {
            requests.add((ApiMessage) arguments[0]);
            @SuppressWarnings("unchecked")
            Callback<ApiMessage> done = (Callback<ApiMessage>) arguments[1];
            if (answer == null) {
                done.fail(FailureCode.NOT_LEADER, "not the active controller");
            } else {
                done.succeed(answer);
            }
            return null;
        };
        return (Controller)
                Proxy.newProxyInstance(Controller.class.getClassLoader(), new Class<?>[] {Controller.class}, handler);
    }
}
