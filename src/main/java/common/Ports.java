package common;

/** What every machine of one owner gets from its host; all of it confined to that owner. */
public record Ports(
        Clock clock,
        Timers timers,
        RandomSource random,
        Mailboxes mailboxes,
        Metrics metrics,
        Chance chance,
        Mutations mutations) {}
