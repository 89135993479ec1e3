package node;

import common.Callback;
import common.Clock;
import common.Failure;
import common.FailureCode;
import common.Timers;
import config.ControllerConfig;
import controller.ControllerMachine;
import controller.Decision;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an active controller does by time: fences brokers whose session has ended (C2), and gives leaderships back. Confined to the controller's owner. */
final class ControllerDuties {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerDuties.class);

    /** How often sessions are looked at in the time of one. */
    private static final int CHECKS_IN_SESSION = 8;

    private final Timers timers;
    private final Clock clock;
    private final ControllerConfig config;
    private final Journal journal;
    private Timers.Handle sessions;
    private Timers.Handle balance;
    private int term;

    /** Where it is decided; the answer true: there may be more to do of the same. */
    interface Journal {
        void decide(Function<ControllerMachine, Decision<Boolean>> decision, Callback<Boolean> done);
    }

    ControllerDuties(Timers timers, Clock clock, ControllerConfig config, Journal journal) {
        this.timers = timers;
        this.clock = clock;
        this.config = config;
        this.journal = journal;
    }

    /** This node has become the active controller. */
    void begin() {
        end();
        waitForSessions(term);
        waitForBalance(term);
    }

    /** It is so no more, or stops. */
    void end() {
        term++;
        if (sessions != null) {
            sessions.cancel();
            sessions = null;
        }
        if (balance != null) {
            balance.cancel();
            balance = null;
        }
    }

    private void waitForSessions(int mine) {
        long millis = Math.max(1, config.sessionMillis() / CHECKS_IN_SESSION);
        sessions = timers.after(millis, () -> checkSessions(mine));
    }

    private void checkSessions(int mine) {
        journal.decide(machine -> machine.fenceStale(clock.monotonicNanos()), (more, failure) -> {
            if (mine == term && failure == null && more) {
                checkSessions(mine);
            } else if (mine == term) {
                told("sessions of brokers could not be looked at", failure);
                waitForSessions(mine);
            }
        });
    }

    private void waitForBalance(int mine) {
        if (config.balance().enabled()) {
            balance = timers.after(config.balance().checkSeconds() * 1_000, () -> giveBack(mine));
        }
    }

    private void giveBack(int mine) {
        journal.decide(ControllerMachine::balanceLeaders, (more, failure) -> {
            if (mine == term && failure == null && more) {
                giveBack(mine);
            } else if (mine == term) {
                told("leaderships stay where they are until the next check", failure);
                waitForBalance(mine);
            }
        });
    }

    private static void told(String what, Failure failure) {
        if (failure != null && failure.code() != FailureCode.NOT_LEADER) {
            LOG.warn("{}: {}", what, failure.message());
        }
    }
}
