package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import services.LogLevels;

class LogbackLevelsTest {
    private static final String NAME = "verticles.LogbackLevelsTest.planted";

    private final LogLevels levels = LogbackLevels.ofProcess();
    private final Logger planted = LoggerFactory.getLogger(NAME);

    @AfterEach
    void reset() {
        levels.set(NAME, null);
    }

    private String level(String logger) {
        return levels.all().stream()
                .filter(each -> each.logger().equals(logger))
                .findFirst()
                .orElseThrow()
                .level();
    }

    @Test
    void aLevelIsSetShownAndGivenBack() {
        assertTrue(levels.exists(NAME));
        String inherited = level(NAME);
        levels.set(NAME, "TRACE");
        assertTrue(planted.isTraceEnabled());
        assertEquals("TRACE", level(NAME));
        levels.set(NAME, "FATAL");
        assertEquals("ERROR", level(NAME), "the highest there is");
        assertFalse(planted.isWarnEnabled());
        levels.set(NAME, null);
        assertEquals(inherited, level(NAME));
    }

    @Test
    void theRootHasKafkasName() {
        assertTrue(levels.exists(LogLevels.ROOT));
        assertFalse(levels.exists("no.such.logger"));
        assertTrue(levels.all().stream().noneMatch(each -> each.logger().equals("ROOT")));
    }
}
