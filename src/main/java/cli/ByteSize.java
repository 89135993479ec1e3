package cli;

import java.util.Locale;

/** Sizes in bytes as people write them: {@code 512}, {@code 10MB}, {@code 1.5 GB}; a unit is a thousand of the one before. */
final class ByteSize {
    private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB"};
    private static final double STEP = 1000;

    private ByteSize() {}

    static String text(long bytes) {
        double size = bytes;
        int unit = 0;
        while (size >= STEP && unit < UNITS.length - 1) {
            size /= STEP;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", size, UNITS[unit]);
    }

    /** Fails if it is no positive size. */
    static long parse(String text, String option) {
        String word = text.trim();
        long factor = 1;
        for (int unit = UNITS.length - 1; unit >= 0; unit--) {
            if (word.toUpperCase(Locale.ROOT).endsWith(UNITS[unit].toUpperCase(Locale.ROOT))) {
                word = word.substring(0, word.length() - UNITS[unit].length()).trim();
                factor = (long) Math.pow(STEP, unit);
                break;
            }
        }
        try {
            double number = Double.parseDouble(word) * factor;
            if (number >= 1 && number <= Long.MAX_VALUE) {
                return (long) number;
            }
        } catch (NumberFormatException noNumber) {
            // told below
        }
        throw new CliFailure(
                "'" + text + "' is no size for " + option, "Write a number of bytes, such as 500000 or 50MB.");
    }
}
