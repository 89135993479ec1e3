package group;

/**
 * How much a pattern in RE2's syntax costs, before anything of it is built: counted repetitions of repetitions make a few characters expand to billions of
 * instructions, and deep nesting ends the stack of those who walk it. Weighs a well-formed pattern at least as heavy as its programme has instructions; says
 * nothing about one that is not well-formed, which the parser refuses before it expands anything. Also keeps away characters for which the library's search for
 * the same letter in another case never ends (U+1C80 is one, where the JDK's Unicode is newer than the library's tables). Confined to a call.
 */
public final class PatternWeight {
    /** Whatever a topic's name is matched with, a match takes at most this many steps for each of its characters. Any alternation of names is far below. */
    static final int MAX = 65_536;
    /** Groups inside groups. */
    static final int MAX_DEPTH = 100;
    /** Repetitions that may or may not be there, {n,m}, of the whole pattern: each is a level of its own once written out. */
    static final int MAX_OPTIONAL = 300;

    /** Ranges of the larger classes of Unicode, each an instruction's worth of memory. */
    private static final int UNICODE_CLASS = 100;
    /** What a group, and the frame around a whole pattern, adds. */
    private static final int GROUP = 4;

    private final String pattern;
    private final long[] sums = new long[MAX_DEPTH + 1];
    private final long[] last = new long[MAX_DEPTH + 1];
    private int depth;
    private int optional;
    private int at;
    private boolean ignoresCase;
    private boolean wide;

    private PatternWeight(String pattern) {
        this.pattern = pattern;
    }

    /** Why the pattern must not be compiled; null when it may. */
    public static String problem(String pattern) {
        PatternWeight weight = new PatternWeight(pattern);
        if (weight.weigh() > MAX) {
            return "is too large: with its repetitions written out it may have " + MAX + " characters, "
                    + MAX_OPTIONAL + " of them optional by {n,m}, and groups " + MAX_DEPTH
                    + " deep inside each other. Use fewer or smaller repetitions, or subscribe to names.";
        }
        return weight.ignoresCase && weight.wide
                ? "ignores case, and names characters other than ASCII's. Topics have no such names: leave them out."
                : null;
    }

    /** In instructions, above {@link #MAX} for what must not be compiled. */
    static long of(String pattern) {
        return new PatternWeight(pattern).weigh();
    }

    private long weigh() {
        sums[0] = GROUP;
        while (at < pattern.length() && sums[depth] <= MAX) {
            char c = pattern.charAt(at++);
            wide |= c > '\u007f';
            switch (c) {
                case '(' -> {
                    if (!open()) {
                        return Long.MAX_VALUE;
                    }
                }
                case ')' -> close();
                case '[' -> atom(charClass());
                case '\\' -> escape();
                case '*' -> star();
                case '+', '?' -> repeat(1);
                case '{' -> braces();
                default -> atom(c == '|' ? 2 : 1);
            }
        }
        if (optional > MAX_OPTIONAL) {
            return Long.MAX_VALUE;
        }
        // Where it ended early some level is too heavy, and so is the whole.
        long total = 0;
        for (int i = 0; i <= depth; i++) {
            total += sums[i];
        }
        return total;
    }

    private void atom(long weight) {
        sums[depth] += weight;
        last[depth] = weight;
    }

    /** Also a mere change of flags, which opens nothing. */
    private boolean open() {
        if (pattern.startsWith("?", at)) {
            boolean named = pattern.startsWith("?P<", at) || pattern.startsWith("?<", at);
            while (at < pattern.length() && ":>)".indexOf(pattern.charAt(at)) < 0) {
                ignoresCase |= !named && pattern.charAt(at) == 'i';
                at++;
            }
            if (pattern.startsWith(")", at)) {
                at++;
                return true;
            }
            at++;
        }
        if (depth == MAX_DEPTH) {
            return false;
        }
        depth++;
        sums[depth] = GROUP;
        last[depth] = 0;
        return true;
    }

    private void close() {
        if (depth > 0) {
            depth--;
            atom(sums[depth + 1]);
        }
    }

    private void repeat(long times) {
        long more = last[depth] * (times - 1) + times;
        sums[depth] += more;
        last[depth] += more;
    }

    /** Of what may match nothing the library makes (x+)?. */
    private void star() {
        repeat(1);
        sums[depth]++;
        last[depth]++;
    }

    /** {n}, {n,} or {n,m}; else a character. */
    private void braces() {
        int end = pattern.indexOf('}', at);
        String inside = end < 0 ? "" : pattern.substring(at, end);
        int comma = inside.indexOf(',');
        int least = number(comma < 0 ? inside : inside.substring(0, comma));
        int most = comma < 0 || comma == inside.length() - 1 ? least + 1 : number(inside.substring(comma + 1));
        if (least < 0 || most < 0) {
            atom(1);
            return;
        }
        at = end + 1;
        optional += inside.endsWith(",") ? 0 : Math.max(0, most - least);
        repeat(Math.max(Math.max(least, most), 1));
        if (inside.startsWith("0") && inside.endsWith(",")) {
            sums[depth]++;
            last[depth]++;
        }
    }

    /** -1 for what is none. More than the parser lets pass is as good as infinite. */
    private static int number(String digits) {
        if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        return digits.length() > 4 ? MAX : Integer.parseInt(digits);
    }

    private void escape() {
        if (pattern.startsWith("Q", at)) {
            int end = pattern.indexOf("\\E", at);
            int stop = end < 0 ? pattern.length() : end;
            sums[depth] += stop - at;
            // Of an empty quotation there is nothing to repeat: what stands before it is repeated, once more perhaps.
            last[depth] = stop == at + 1 ? last[depth] : 1;
            wide |= pattern.substring(at, stop).chars().anyMatch(c -> c > '\u007f');
            at = end < 0 ? stop : end + 2;
            return;
        }
        atom(escaped());
    }

    /** The weight of what follows a backslash. */
    private long escaped() {
        boolean unicode = pattern.startsWith("p", at) || pattern.startsWith("P", at);
        wide |= pattern.startsWith("x", at) || (at < pattern.length() && pattern.charAt(at) > '\u007f');
        boolean braced = pattern.startsWith("{", at + 1) && (unicode || pattern.startsWith("x", at));
        int end = braced ? pattern.indexOf('}', at) : -1;
        at = end < 0 ? at + 1 : end + 1;
        return unicode ? UNICODE_CLASS : 1;
    }

    private long charClass() {
        long weight = 1;
        at += pattern.startsWith("^", at) ? 1 : 0;
        boolean first = true;
        while (at < pattern.length() && (first || pattern.charAt(at) != ']')) {
            first = false;
            int named = pattern.startsWith("[:", at) ? pattern.indexOf(":]", at) : -1;
            if (named >= 0) {
                at = named + 2;
            } else if (pattern.startsWith("\\", at)
                    && at + 1 < pattern.length()
                    && "pPdDsSwW".indexOf(pattern.charAt(at + 1)) >= 0) {
                at++;
                weight += escaped() - 1;
            } else {
                member();
                if (pattern.startsWith("-", at) && !pattern.startsWith("-]", at)) {
                    at++;
                    member();
                }
            }
        }
        at++;
        return weight;
    }

    /** A character of a class, or one end of a range. */
    private void member() {
        if (at < pattern.length()) {
            char c = pattern.charAt(at++);
            wide |= c > '\u007f';
            if (c == '\\') {
                escaped();
            }
        }
    }
}
