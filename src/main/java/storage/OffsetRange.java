package storage;

/** Offsets from {@code from} up to, not including, {@code to}. */
public record OffsetRange(long from, long to) {}
