package sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * All that chance decided in one run: the profile, the faults with their times, and the numbers of each {@link SimRandom}. Recorded by one run, it can be
 * replayed by others, whatever their seed, with decisions taken out (rule: shrinking). As a file:
 *
 * <pre>
 * sim-decisions 1
 * rule I7 acked not lost            what it broke; for people
 * set producers=2                   an entry of the profile
 * fault 1234567890 POWER_CUT 7      at this virtual nanosecond; 7 names its draws, storm/strike7
 * stream network 00ff...            where the generator of this name starts: its numbers follow from that
 * draws storm/strike7 00ff... ...   the numbers themselves, of those that share a generator
 * calm network 10                   of its numbers the first 10 only; later ones choose the least that can be
 * </pre>
 */
final class SimDecisions {
    static final String HEADER = "sim-decisions 1";

    private final boolean replaying;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final List<Fault> faults = new ArrayList<>();
    private final TreeMap<String, Long> streams = new TreeMap<>();
    private final TreeMap<String, List<Long>> tapes = new TreeMap<>();
    private final TreeMap<String, Integer> calm = new TreeMap<>();
    private String rule = "";

    /** @param kind null for a fault that was planned for after the end */
    record Fault(long atNanos, SimProfile.Fault kind, int number) {}

    private SimDecisions(boolean replaying) {
        this.replaying = replaying;
    }

    /** To be filled by a run. */
    static SimDecisions recorder() {
        return new SimDecisions(false);
    }

    /** A copy for one replay or for changes. */
    SimDecisions copy() {
        SimDecisions copy = new SimDecisions(true);
        copy.settings.putAll(settings);
        copy.faults.addAll(faults);
        copy.streams.putAll(streams);
        copy.tapes.putAll(tapes);
        copy.calm.putAll(calm);
        copy.rule = rule;
        return copy;
    }

    boolean replaying() {
        return replaying;
    }

    String rule() {
        return rule;
    }

    void rule(String broken) {
        rule = broken;
    }

    /** Entries of the profile. */
    Map<String, String> settings() {
        return settings;
    }

    /** In the order of their times. */
    List<Fault> faults() {
        return faults;
    }

    /** Names of the generators. */
    List<String> streams() {
        return new ArrayList<>(streams.keySet());
    }

    /** From draw {@code from} (the first is 0) on, a stream chooses the least. */
    void calm(String stream, int from) {
        calm.put(stream, from);
    }

    int calmFrom(String stream) {
        return calm.getOrDefault(stream, Integer.MAX_VALUE);
    }

    /** Where a generator starts; one that the recorded run did not have has numbers that depend on its name only. */
    long start(String name, long start) {
        return replaying ? streams.getOrDefault(name, SimRandom.mix(name.hashCode())) : start;
    }

    /** A generator is drawn from for the first time. */
    void drawn(String name, long start) {
        if (!replaying) {
            streams.put(name, start);
        }
    }

    Tape tape(String name) {
        return new Tape(name, tapes.computeIfAbsent(name, key -> new ArrayList<>()));
    }

    /** The numbers of one view: each drawn and written down, or read. */
    final class Tape {
        private final List<Long> numbers;
        private final SimRandom beyond;
        private int at;

        private Tape(String name, List<Long> numbers) {
            this.numbers = numbers;
            this.beyond = new SimRandom(name.hashCode());
        }

        long next(LongSupplier draw) {
            if (!replaying) {
                numbers.add(draw.getAsLong());
                return numbers.get(numbers.size() - 1);
            }
            return at < numbers.size() ? numbers.get(at++) : beyond.nextLong();
        }
    }

    /** How much is left to chance: faults, and streams that are not calm from their start. */
    String size() {
        long quiet = calm.values().stream().filter(from -> from == 0).count();
        return faults.stream().filter(each -> each.kind != null).count() + " faults, " + (streams.size() - quiet)
                + " streams of decisions (" + quiet + " more are calm)";
    }

    // ---- files

    void write(Path file) {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        text.append("rule ").append(rule).append('\n');
        settings.forEach((name, value) ->
                text.append("set ").append(name).append('=').append(value).append('\n'));
        for (Fault each : faults) {
            text.append("fault ").append(each.atNanos).append(' ');
            text.append(each.kind == null ? "NONE" : each.kind.name()).append(' ');
            text.append(each.number).append('\n');
        }
        streams.forEach((name, start) -> text.append("stream ")
                .append(name)
                .append(' ')
                .append(Long.toHexString(start))
                .append('\n'));
        tapes.forEach((name, numbers) -> {
            text.append("draws ").append(name);
            numbers.forEach(each -> text.append(' ').append(Long.toHexString(each)));
            text.append('\n');
        });
        calm.forEach((name, from) ->
                text.append("calm ").append(name).append(' ').append(from).append('\n'));
        try {
            if (file.getParent() != null) {
                Files.createDirectories(file.getParent());
            }
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean isFile(Path file) {
        try (var lines = Files.lines(file)) {
            return lines.findFirst().orElse("").equals(HEADER);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static SimDecisions read(Path file) {
        SimDecisions decisions = new SimDecisions(true);
        try {
            for (String line : Files.readAllLines(file)) {
                if (!line.isBlank() && !line.startsWith("#") && !line.equals(HEADER)) {
                    decisions.parse(line.split(" ", -1), line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return decisions;
    }

    private void parse(String[] words, String line) {
        switch (words[0]) {
            case "rule" -> rule = line.substring("rule ".length());
            case "set" -> {
                String[] pair = words[1].split("=", 2);
                settings.put(pair[0], pair[1]);
            }
            case "fault" -> {
                SimProfile.Fault kind = words[2].equals("NONE") ? null : SimProfile.Fault.valueOf(words[2]);
                faults.add(new Fault(Long.parseLong(words[1]), kind, Integer.parseInt(words[3])));
            }
            case "stream" -> streams.put(words[1], Long.parseUnsignedLong(words[2], 16));
            case "draws" -> {
                List<Long> numbers = new ArrayList<>();
                for (int i = 2; i < words.length; i++) {
                    numbers.add(Long.parseUnsignedLong(words[i], 16));
                }
                tapes.put(words[1], numbers);
            }
            case "calm" -> calm.put(words[1], Integer.parseInt(words[2]));
            default -> throw new IllegalArgumentException("not a line of a decision file: " + line);
        }
    }
}
