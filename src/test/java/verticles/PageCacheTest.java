package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PageCacheTest {

    @Test
    void halfOfTheMemory() {
        assertEquals(8L << 30, PageCache.guessBytes("MemFree: 1 kB\nMemTotal:       16777216 kB\nSwap: 3 kB\n"));
    }

    @Test
    void strangeContentGivesTheDefault() {
        for (String odd : new String[] {"", "MemTotal:", "MemTotal: x kB", "MemTotal: 99999999999999999999 kB"}) {
            assertEquals(1L << 30, PageCache.guessBytes(odd), odd);
        }
    }
}
