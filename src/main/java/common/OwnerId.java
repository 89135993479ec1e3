package common;

/**
 * The address of a single-threaded owner.
 *
 * @param type the interface by which others may call it
 * @param index which of the owners of that type, from 0
 */
public record OwnerId<O>(Class<O> type, int index) {}
