package raft;

/** A voters record in the log: its offset and the set that is in force from there on. */
public record VotersAt(long offset, VoterSet voters) {}
