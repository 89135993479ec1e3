package cli;

import java.util.TreeSet;

/** A list of partition numbers such as {@code 0,2,4-7}. */
final class PartitionList {

    private static final int MAX_PARTITIONS = 100_000;

    private PartitionList() {}

    static TreeSet<Integer> parse(String text) {
        TreeSet<Integer> numbers = new TreeSet<>();
        for (String part : text.split(",", -1)) {
            String[] ends = part.trim().split("-", 2);
            try {
                int first = Integer.parseInt(ends[0].trim());
                int last = ends.length == 1 ? first : Integer.parseInt(ends[1].trim());
                if (first < 0 || last < first || last - first >= MAX_PARTITIONS) {
                    throw new NumberFormatException(part);
                }
                for (int number = first; number <= last; number++) {
                    numbers.add(number);
                }
            } catch (NumberFormatException problem) {
                throw new CliFailure("'" + part + "' is no partition", "Write numbers and ranges, such as 0,2,4-7.");
            }
        }
        return numbers;
    }
}
