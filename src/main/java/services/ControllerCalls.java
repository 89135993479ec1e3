package services;

import common.Callback;
import common.Mailboxes;
import common.OwnerCall;
import common.OwnerId;
import controller.Controller;

/** The controller as one caller sees it: each call with a deadline. Confined to its caller's owner. */
final class ControllerCalls {
    private static final OwnerId<Controller> CONTROLLER = new OwnerId<>(Controller.class, 0);

    private final Mailboxes mailboxes;

    ControllerCalls(Mailboxes mailboxes) {
        this.mailboxes = mailboxes;
    }

    /** @param timeoutMillis 0 or less: the outcome is TIMED_OUT almost surely, and what was asked for may still happen, as in Kafka */
    <T> void call(OwnerCall<Controller, T> call, long timeoutMillis, Callback<T> done) {
        mailboxes.call(CONTROLLER, call, Math.max(1, timeoutMillis), done);
    }
}
