package cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a dump found out about files. A problem should not be there; a note may be. Both lists are bounded per file. */
final class Findings {

    private static final int MOST_PER_FILE = 20;

    private final List<String> problems = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private Path last;
    private int ofLast;

    void problem(Path file, String what) {
        if (!file.equals(last)) {
            last = file;
            ofLast = 0;
        }
        ofLast++;
        if (ofLast < MOST_PER_FILE) {
            problems.add(file.getFileName() + " " + what);
        } else if (ofLast == MOST_PER_FILE) {
            problems.add(file.getFileName() + " has more problems, not listed");
        }
    }

    void note(Path file, String what) {
        notes.add(file.getFileName() + " " + what);
    }

    List<String> problems() {
        return problems;
    }

    List<String> notes() {
        return notes;
    }
}
