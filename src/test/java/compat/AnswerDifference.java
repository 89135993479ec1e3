package compat;

import java.util.Map;

/** The differing answers of two brokers as text; empty when there are none. */
final class AnswerDifference {
    private AnswerDifference() {}

    static String between(Map<String, String> kafka, Map<String, String> ours) {
        StringBuilder text = new StringBuilder();
        kafka.forEach((label, answer) -> {
            if (!answer.equals(ours.get(label))) {
                text.append(label)
                        .append("\n  kafka: ")
                        .append(answer)
                        .append("\n  ours:  ")
                        .append(ours.get(label))
                        .append('\n');
            }
        });
        ours.keySet().stream()
                .filter(label -> !kafka.containsKey(label))
                .forEach(label -> text.append(label).append(" only ours\n"));
        return text.toString();
    }
}
