package services;

/**
 * What a principal may do, as the bit sets of Kafka's answers (one bit per AclOperation code, KIP-430). There is no authorizer yet, so everybody may do
 * all that the kind of resource knows.
 */
public final class AuthorizedOperations {
    /** The value of answers that were not asked for it. */
    public static final int NOT_ASKED = Integer.MIN_VALUE;

    private static final int READ = 3;
    private static final int WRITE = 4;
    private static final int CREATE = 5;
    private static final int DELETE = 6;
    private static final int ALTER = 7;
    private static final int DESCRIBE = 8;
    private static final int CLUSTER_ACTION = 9;
    private static final int DESCRIBE_CONFIGS = 10;
    private static final int ALTER_CONFIGS = 11;
    private static final int IDEMPOTENT_WRITE = 12;

    private static final int TOPIC =
            bits(READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS);
    private static final int CLUSTER =
            bits(CREATE, ALTER, DESCRIBE, CLUSTER_ACTION, DESCRIBE_CONFIGS, ALTER_CONFIGS, IDEMPOTENT_WRITE);

    private static final int GROUP = bits(READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS);

    private AuthorizedOperations() {}

    /** On any topic. */
    public static int onTopic() {
        return TOPIC;
    }

    public static int onCluster() {
        return CLUSTER;
    }

    /** On any group. */
    public static int onGroup() {
        return GROUP;
    }

    private static int bits(int... operations) {
        int all = 0;
        for (int operation : operations) {
            all |= 1 << operation;
        }
        return all;
    }
}
