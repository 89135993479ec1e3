package arch.planted.services;

import org.apache.kafka.common.protocol.Errors;

public final class MayUseErrors {
    short code() {
        return Errors.NONE.code();
    }
}
