package arch;

/**
 * A broken rule.
 *
 * @param className the top-level or nested class that breaks it
 * @param what what it does, with what is allowed instead
 */
record Violation(String className, String what) {
    @Override
    public String toString() {
        return className + ": " + what;
    }
}
