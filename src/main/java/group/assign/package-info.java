/**
 * Which member of a KIP-848 group reads which partitions: the server-side assignors {@code uniform} and {@code range} and the sets of partitions that they deal in.
 * Pure functions over immutable values; the same input gives the same assignment. Start with {@link group.assign.Assignor}.
 */
package group.assign;
