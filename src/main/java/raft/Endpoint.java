package raft;

/** Where a controller listens: name of the listener, host, port. */
public record Endpoint(String listener, String host, int port) {}
