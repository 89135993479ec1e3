package cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Rows in columns that are as wide as their widest cell. */
final class Table {

    private static final String GAP = "  ";

    private final List<String[]> rows = new ArrayList<>();

    Table(String... head) {
        rows.add(head);
    }

    void row(String... cells) {
        rows.add(cells);
    }

    void print(PrintStream out, String indent) {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder(indent);
            for (int i = 0; i < row.length; i++) {
                line.append(row[i]);
                if (i < row.length - 1) {
                    line.append(" ".repeat(widths[i] - row[i].length())).append(GAP);
                }
            }
            out.println(line);
        }
    }
}
