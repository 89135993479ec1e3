package storage;

/**
 * An index read from its file, or the reason why it must be rebuilt from the log (rule S9).
 *
 * @param index null when it must be rebuilt
 * @param problem what is wrong with the file; null when nothing is
 */
public record IndexLoad<T>(T index, String problem) {

    static <T> IndexLoad<T> valid(T index) {
        return new IndexLoad<>(index, null);
    }

    static <T> IndexLoad<T> rebuild(String problem) {
        return new IndexLoad<>(null, problem);
    }
}
