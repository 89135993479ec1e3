package cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;

/**
 * Offsets that groups shall have, in the CSV of Kafka's tool: {@code topic,partition,offset}, or for several groups {@code group,topic,partition,offset}.
 *
 * @param group null: the one that the command names
 */
record OffsetPlan(String group, TopicPartition partition, long offset) {

    private static final int FIELDS = 3;
    private static final Pattern FIELD = Pattern.compile("\\G(?:\"((?:[^\"]|\"\")*)\"|([^,\"]*))(,|$)");

    String line() {
        String rest = partition.topic() + "," + partition.partition() + "," + offset;
        return group == null ? rest : quoted(group) + "," + rest;
    }

    private static String quoted(String name) {
        boolean plain = name.chars().noneMatch(c -> c == ',' || c == '"' || c < ' ');
        return plain ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    /** Reads all lines; empty ones are passed over. */
    static List<OffsetPlan> read(BufferedReader in) throws IOException {
        List<OffsetPlan> plans = new ArrayList<>();
        int number = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            number++;
            if (!line.isBlank()) {
                plans.add(parse(line.trim(), number));
            }
        }
        return plans;
    }

    private static OffsetPlan parse(String line, int number) {
        List<String> fields = fields(line);
        boolean grouped = fields.size() == FIELDS + 1;
        try {
            if (fields.size() != FIELDS && !grouped) {
                throw new NumberFormatException(line);
            }
            int at = grouped ? 1 : 0;
            int partition = Integer.parseInt(fields.get(at + 1).trim());
            long offset = Long.parseLong(fields.get(at + 2).trim());
            if (partition < 0 || offset < 0) {
                throw new NumberFormatException(line);
            }
            String topic = fields.get(at).trim();
            return new OffsetPlan(grouped ? fields.get(0) : null, new TopicPartition(topic, partition), offset);
        } catch (NumberFormatException problem) {
            throw new CliFailure(
                    "line " + number + " of the offsets is no offset: " + line,
                    "Write topic,partition,offset or group,topic,partition,offset.");
        }
    }

    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        Matcher field = FIELD.matcher(line);
        while (field.find()) {
            fields.add(field.group(1) == null ? field.group(2) : field.group(1).replace("\"\"", "\""));
            if (field.group(3).isEmpty()) {
                return fields;
            }
        }
        return List.of();
    }
}
