package arch.planted.storage;

/** A value that doors may pass on. */
public record Answer(long offset) {}
