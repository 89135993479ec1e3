package controller;

/**
 * What a broker says beside its registration so that the controller can judge whether records may be lost (rule C3). Without it all that is not synced may be.
 *
 * @param bootId of the host's boot: the page cache survives a process that ends, not another boot
 * @param durable this process's logs are synced before they are acknowledged, unless a topic's own flush.messages says otherwise (rule I7)
 */
public record BootReport(String bootId, boolean durable) {}
