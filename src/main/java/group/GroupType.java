package group;

/** The protocols of groups, by Kafka's names in ListGroups. */
public enum GroupType {
    CLASSIC("classic"),
    CONSUMER("consumer");

    private final String text;

    GroupType(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
