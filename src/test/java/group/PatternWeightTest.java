package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PatternWeightTest {
    private static final String[] PIECES = {
        "(",
        "(",
        ")",
        ")",
        "(?:",
        "(?i)",
        "(?i:",
        "(?P<n>",
        "[",
        "]",
        "[^]",
        "[[:alpha:]]",
        "[[:",
        ":]",
        "[(]",
        "[a-c",
        "^",
        "$",
        "|",
        "|",
        "*",
        "+",
        "?",
        "{3}",
        "{7}",
        "{2,}",
        "{0,9}",
        "{03}",
        "{",
        "}",
        ",",
        "a",
        "b",
        "k",
        "S",
        "\\",
        "\\Q",
        "\\E",
        "\\[",
        "\\]",
        "\\(",
        "\\)",
        "\\{",
        "\\p",
        "\\pL",
        "\\p{Greek}",
        "\\PN",
        "\\x{41}",
        "\\x{10ffff}",
        "\\x",
        "\u1c80",
        "\\d",
        "\\b",
        ".",
        "-",
        "\u2603",
        "\ud83d\ude00"
    };

    /** What compiles is at least as heavy as its programme: so nothing large gets past the limit. */
    @Test
    void noProgrammeIsLargerThanItsWeight() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int compiled = 0;
        for (int i = 0; i < 100_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(14); n >= 0; n--) {
                text.append(PIECES[random.nextInt(PIECES.length)]);
            }
            String pattern = text.toString();
            long weight = PatternWeight.of(pattern);
            if (PatternWeight.problem(pattern) != null) {
                continue;
            }
            try {
                int size = Pattern.compile(pattern).programSize();
                assertTrue(size <= weight, () -> pattern + " has " + size + ", weighs " + weight + ", seed " + seed);
                compiled++;
            } catch (PatternSyntaxException e) {
                assertTrue(weight > 0, pattern);
            }
        }
        assertTrue(compiled > 1_000, "seed " + seed);
    }

    /** Of several repetitions with nothing between them the library refuses all but these. */
    @Test
    void anEmptyQuotationDoesNotEndWhatIsRepeated() {
        for (String pattern : new String[] {"x{41}\\Q\\E{3}", "(ab){20}\\Q\\E{9}\\Q\\E*", "\\Qab\\E{7}\\Q\\E{9}"}) {
            int size = Pattern.compile(pattern).programSize();
            assertTrue(size <= PatternWeight.of(pattern), pattern + " has " + size);
        }
        assertTrue(PatternWeight.of("a{1000}\\Q\\E{1000}") > PatternWeight.MAX);
    }

    @Test
    void whatMayMatchNothingCostsMoreWhenItIsRepeated() {
        for (String pattern : new String[] {
            "^\\([(]$*(?i){0,9}",
            "[^][[:\\(a}{7}{3}[^]{3}^*(?i){0,9}\\)",
            "$*(?i){0,9}\\Q){0,9}{03}\\[}\\b\\p",
            "(?:^{0,})(?i){0,9}"
        }) {
            int size = Pattern.compile(pattern).programSize();
            assertTrue(size <= PatternWeight.of(pattern), pattern + " has " + size);
        }
    }

    @Test
    void ordinaryPatternsPass() {
        assertTrue(PatternWeight.of("[a-z]{3}-\\d{4}-(eu|us)-.*") < 200);
        String uuid = "([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})";
        assertTrue(PatternWeight.of(uuid) < 500);
        assertTrue(PatternWeight.of("a{1000}") < 10_000);
        assertTrue(PatternWeight.of("topic|".repeat(5_000)) <= PatternWeight.MAX);
    }

    @Test
    void repetitionsOfRepetitionsAndDeepNestingDoNot() {
        assertTrue(PatternWeight.of("(a{1000}){1000}") > PatternWeight.MAX);
        assertTrue(PatternWeight.of("(?:(?:\\pL{1000}){1000}){1000}") > PatternWeight.MAX);
        assertTrue(PatternWeight.of("((((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}){9})") > PatternWeight.MAX);
        assertTrue(PatternWeight.of("[(](a{1000}[)]){1000}") > PatternWeight.MAX);
        assertTrue(PatternWeight.of("[a-c\\[-[:](a{1000}:]){1000}") > PatternWeight.MAX, "a range that ends with [");
        assertTrue(PatternWeight.of("\\pL".repeat(10_000)) > PatternWeight.MAX, "tables of hundreds of ranges each");
        assertTrue(PatternWeight.of("a{0,1000}") > PatternWeight.MAX, "a thousand levels when written out");
        assertEquals(Long.MAX_VALUE, PatternWeight.of("(".repeat(16_000) + ")".repeat(16_000)));
    }

    /** Compiling the first of these would never end. */
    @Test
    void charactersWhoseOtherCaseIsNotKnownToTheLibraryAreRefused() {
        for (String pattern : new String[] {
            "(?i)\u1c80",
            "(?i:\\x{1c80})",
            "(?s-m)(?mi)[a-\u2603]",
            "(?i)[^\\x{1000}-\\x{2000}]",
            "(?i)\\Q\u1c80\\E",
            "(?i)\\\u1c80",
            "(?i)[\\\u1c80]"
        }) {
            assertTrue(PatternWeight.problem(pattern) != null, pattern);
        }
        for (String pattern :
                new String[] {"(?i)orders-[a-z]+", "(?P<i>\u1c80)", "\u2603.*", "(?i)\\pL\\W[[:alpha:]]"}) {
            assertNull(PatternWeight.problem(pattern));
            Pattern.compile(pattern);
        }
    }

    /** The walks over a parsed pattern recurse: the heaviest that may pass must fit the stack of a thread with little of it. */
    @Test
    void theHeaviestPatternsCompileOnASmallStack() throws InterruptedException {
        int groups = PatternWeight.MAX_DEPTH - 2;
        StringBuilder prefixes = new StringBuilder("a");
        for (int i = 2; i < 250; i++) {
            prefixes.append('|').append("a".repeat(i));
        }
        String[] heavy = {
            "(".repeat(groups) + "a*b|c" + ")*".repeat(groups),
            "(?:a{0,290}b){0,10}",
            "(?:(?:a{0,20}b){0,20}c){0,20}",
            "(?:".repeat(9) + "a" + "{0,2}b)".repeat(9),
            "(".repeat(groups) + prefixes + ")".repeat(groups)
        };
        int[] done = new int[1];
        Thread thread = new Thread(
                null,
                () -> {
                    for (String pattern : heavy) {
                        assertTrue(PatternWeight.of(pattern) <= PatternWeight.MAX, pattern);
                        Pattern.compile(pattern).matches("aaa");
                        done[0]++;
                    }
                },
                "small-stack",
                512 * 1024);
        thread.start();
        thread.join();
        assertEquals(heavy.length, done[0]);
    }
}
