package raft;

import java.util.List;

/**
 * Whom a request goes to.
 *
 * @param id of its node; below -1: the bootstrap server number -2 - id, whose node is not known
 * @param endpoints as far as they are known; empty: the host knows them by id or nobody does
 */
public record Peer(int id, List<Endpoint> endpoints) {}
