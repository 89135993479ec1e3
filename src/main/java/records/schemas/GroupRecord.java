package records.schemas;

/** A record of __consumer_offsets. */
public interface GroupRecord {}
