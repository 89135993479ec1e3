package sim;

/** A rule of the design does not hold in a run; ends the run. */
public final class RuleBroken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String rule;

    /** @param rule its name, e.g. "I7 acked not lost" */
    public RuleBroken(String rule, String values) {
        super(rule + ": " + values);
        this.rule = rule;
    }

    public String rule() {
        return rule;
    }
}
