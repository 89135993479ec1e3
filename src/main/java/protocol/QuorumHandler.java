package protocol;

import common.Callback;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Passes a request to a use case of the metadata quorum, and takes from its answer what the asker's version has no room for. */
final class QuorumHandler<Q extends ApiMessage, A extends ApiMessage> implements ApiHandler {
    private final ApiKeys key;
    private final Class<Q> request;
    private final UseCase<Q, A> useCase;
    private final Fit<A> fit;

    /** What is asked of the quorum. */
    interface UseCase<Q, A> {
        void ask(Q request, Callback<A> done);
    }

    /** Changes an answer of the newest version into one of {@code version}. */
    interface Fit<A> {
        void to(A answer, short version);
    }

    QuorumHandler(ApiKeys key, Class<Q> request, UseCase<Q, A> useCase, Fit<A> fit) {
        this.key = key;
        this.request = request;
        this.useCase = useCase;
        this.fit = fit;
    }

    @Override
    public ApiKeys key() {
        return key;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        short version = context.apiVersion();
        useCase.ask(request.cast(message), (answer, failure) -> {
            if (failure == null) {
                fit.to(answer, version);
            }
            respond.done(answer, failure);
        });
    }
}
