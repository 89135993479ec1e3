package sim;

import java.util.ArrayList;
import java.util.List;

/** A transactional id: which producers took it when (rule T3), and all transactions that were tried with it. */
final class SimTxnId {
    final String name;
    final List<SimTxn> transactions = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();

    SimTxnId(String name) {
        this.name = name;
    }

    /** InitProducerId of one producer. */
    static final class Claim {
        private final long sentAt;
        private long answeredAt = Long.MAX_VALUE;

        private Claim(long sentAt) {
            this.sentAt = sentAt;
        }

        void answered(long now) {
            answeredAt = now;
        }
    }

    Claim claim(long now) {
        Claim mine = new Claim(now);
        claims.add(mine);
        return mine;
    }

    SimTxn begin() {
        SimTxn next = new SimTxn(name + "#" + transactions.size(), this, transactions.size() + 1L);
        transactions.add(next);
        return next;
    }

    /** Another producer asked for the id after this one had it, and got it before {@code when}. */
    boolean superseded(Claim mine, long when) {
        return claims.stream().anyMatch(each -> each.sentAt > mine.answeredAt && each.answeredAt < when);
    }

    /** Another producer has asked for the id since. */
    boolean contested(Claim mine) {
        return claims.stream().anyMatch(each -> each != mine && each.answeredAt > mine.sentAt);
    }

    /** The last one that was answered as committed and has an offset; 0 for none. */
    long committedOffset() {
        long last = 0;
        for (SimTxn each : transactions) {
            last = each.offset && each.mustBeVisible() ? each.number : last;
        }
        return last;
    }
}
