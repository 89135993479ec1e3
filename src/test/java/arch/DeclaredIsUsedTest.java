package arch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import config.BrokerKeys;
import config.ConfigKey;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** R8 and R10: no handler that nobody makes, no setting that nobody reads. */
class DeclaredIsUsedTest {

    private static UseRule product;
    private static UseRule planted;

    @BeforeAll
    static void load() throws URISyntaxException {
        Path classes = Path.of(common.Check.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        JavaClasses ours = new ClassFileImporter().importPath(classes);
        product = new UseRule(ours);
        planted = new UseRule(new ClassFileImporter().importPackages("arch.planted"));
    }

    @Test
    void everyHandlerIsMade() {
        assertEquals("", lines(product.neverMade("protocol.ApiHandler")), "R8");
    }

    @Test
    void everySettingInForceIsRead() {
        TreeSet<String> owners = new TreeSet<>();
        for (ConfigKey key : BrokerKeys.all()) {
            if (!key.owner().isEmpty()) {
                owners.add("config." + key.owner());
            }
        }
        assertTrue(owners.size() > 3, () -> "only " + owners);
        List<Violation> found = new ArrayList<>();
        owners.forEach(owner -> found.addAll(product.neverRead(owner)));
        assertEquals("", lines(found), "R10");
    }

    @Test
    void plantedHandlerIsFound() {
        assertEquals(
                List.of("arch.planted.protocol.UnusedHandler"),
                planted.neverMade("arch.planted.protocol.Contract").stream()
                        .map(Violation::className)
                        .toList());
    }

    @Test
    void plantedSettingIsFound() {
        assertEquals(
                List.of("unread is read by no other package"),
                planted.neverRead("arch.planted.config.Settings").stream()
                        .map(Violation::what)
                        .toList());
    }

    private static String lines(List<Violation> found) {
        return found.stream().map(Violation::toString).sorted().collect(Collectors.joining("\n"));
    }
}
