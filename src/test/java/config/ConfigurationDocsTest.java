package config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The written files say what the table says. Run with -Dupdate.docs=true to write them anew. */
class ConfigurationDocsTest {

    @Test
    void docsTableIsCurrent() throws IOException {
        check(Path.of("docs/configuration.md"), ConfigurationDocs.markdown());
    }

    @Test
    void exampleFileIsCurrent() throws IOException {
        check(Path.of("conf/broker.properties"), ConfigurationDocs.properties());
    }

    @Test
    void exampleFileStartsABrokerWithAllCommentsRemoved() throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(ConfigurationDocs.properties().replaceAll("(?m)^#([a-z.]+=.+)$", "$1")));
        Map<String, String> given = new TreeMap<>();
        properties.stringPropertyNames().forEach(name -> given.put(name, properties.getProperty(name)));
        assertTrue(given.size() > 40, "only " + given.size() + " keys");
        given.remove("security.inter.broker.protocol");
        given.remove("broker.id");
        BrokerConfig.Parsed parsed = BrokerConfig.parse(given);
        assertNotNull(parsed.config(), () -> parsed.problems().toString());
        assertEquals(
                BrokerConfig.parse(Map.of()).config().logDefaults(),
                parsed.config().logDefaults());
    }

    private static void check(Path file, String expected) throws IOException {
        if (Boolean.getBoolean("update.docs")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, expected);
        }
        String hint = file + " is not what the table of keys says: run the test with -Dupdate.docs=true";
        assertEquals(expected, Files.exists(file) ? Files.readString(file) : "(missing)", hint);
    }
}
