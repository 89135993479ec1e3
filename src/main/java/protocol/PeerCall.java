package protocol;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Peers;
import common.Timers;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** A request to another node on its way: answered, or failed, once. */
final class PeerCall {
    private final ApiKeys key;
    private final ApiMessage request;
    private final Callback<Peers.Answer> done;
    private Timers.Handle deadline;
    private int correlationId;
    private short version;
    private boolean over;

    PeerCall(ApiMessage request, Callback<Peers.Answer> done) {
        this.key = ApiKeys.forId(request.apiKey());
        this.request = request;
        this.done = done;
    }

    void deadline(Timers.Handle handle) {
        deadline = handle;
    }

    void sent(int id, short chosen) {
        correlationId = id;
        version = chosen;
    }

    ApiKeys key() {
        return key;
    }

    ApiMessage request() {
        return request;
    }

    int correlationId() {
        return correlationId;
    }

    short version() {
        return version;
    }

    void answer(Peers.Answer answer) {
        if (end()) {
            done.succeed(answer);
        }
    }

    void fail(FailureCode code, String why) {
        fail(new Failure(code, why));
    }

    void fail(Failure why) {
        if (end()) {
            done.fail(why);
        }
    }

    private boolean end() {
        if (over) {
            return false;
        }
        over = true;
        if (deadline != null) {
            deadline.cancel();
        }
        return true;
    }
}
