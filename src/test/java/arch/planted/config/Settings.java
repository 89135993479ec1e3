package arch.planted.config;

/** One setting is read by another package, one through a derived method, one by nobody. */
public record Settings(int read, int derived, int unread) {
    public int doubled() {
        return 2 * derived;
    }
}
