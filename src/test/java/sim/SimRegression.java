package sim;

import common.Mutations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What once found a bug: a file of seeds, {@code SEED [entry=value]... [# which]} a line, and decision files ({@link SimDecisions}) beside it. */
final class SimRegression {
    static final Path FILE = Path.of("src/test/sim/regression-seeds.txt");

    private SimRegression() {}

    record Entry(long seed, Map<String, String> overrides) {
        SimRun.Report run() {
            StringBuilder command = new StringBuilder("bin/sim run --seed " + seed);
            overrides.forEach((name, value) ->
                    command.append(" --set ").append(name).append('=').append(value));
            return new SimRun(seed, overrides, Mutations.NONE, command.toString()).run();
        }
    }

    /** In the order of their names. */
    static List<Path> decisionFiles() {
        try (Stream<Path> files = Files.list(FILE.getParent())) {
            return files.filter(each -> each.toString().endsWith(".sim"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static SimRun.Report replay(Path file) {
        return new SimRun(0, Map.of(), Mutations.NONE, "bin/sim replay " + file)
                .decisions(SimDecisions.read(file))
                .run();
    }

    static List<Entry> read(Path file) {
        List<Entry> entries = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(file)) {
                String text = line.replaceFirst("#.*", "").trim();
                if (!text.isEmpty()) {
                    entries.add(parse(text));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return entries;
    }

    private static Entry parse(String text) {
        String[] words = text.split("\\s+", -1);
        Map<String, String> overrides = new LinkedHashMap<>();
        for (int i = 1; i < words.length; i++) {
            String[] pair = words[i].split("=", 2);
            overrides.put(pair[0], pair[1]);
        }
        return new Entry(Long.parseLong(words[0]), overrides);
    }
}
