package arch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** R1-R7 over the compiled product, and over planted classes that prove that each rule can fail. */
class ArchitectureTest {

    private static final int FEWEST_CLASSES = 100;

    private static JavaClasses product;
    private static JavaClasses planted;

    @BeforeAll
    static void load() throws URISyntaxException {
        Path classes = Path.of(common.Check.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        product = new ClassFileImporter().importPath(classes);
        planted = new ClassFileImporter().importPackages("arch.planted");
    }

    static List<Rule> rules() {
        return List.of(
                LibraryRule.frameworks(),
                CallRule.hiddenInputs(),
                new LockRule(),
                CallRule.unstableOrder(),
                LibraryRule.kafka(),
                LibraryRule.files(),
                new ModuleTableRule(),
                new StaticStateRule());
    }

    @ParameterizedTest
    @MethodSource("rules")
    void productKeepsRule(Rule rule) {
        List<JavaClass> ours =
                product.stream().filter(ArchitectureTest::isWritten).toList();
        assertTrue(ours.size() > FEWEST_CLASSES, "only " + ours.size() + " classes were looked at");
        List<Violation> found = new ArrayList<>();
        ours.forEach(candidate -> found.addAll(rule.check(candidate)));
        assertTrue(found.isEmpty(), () -> rule.name() + " is broken:\n" + lines(found));
    }

    /** Each planted class is found by the rule that it is made for and by no other. */
    @Test
    void plantedViolationsAreFoundEachByItsRule() {
        for (JavaClass candidate : planted) {
            if (candidate.getSimpleName().equals("package-info")) {
                continue;
            }
            TreeSet<String> finders = new TreeSet<>();
            for (Rule rule : rules()) {
                if (!rule.check(candidate).isEmpty()) {
                    finders.add(rule.name());
                }
            }
            TreeSet<String> expected = new TreeSet<>();
            if (candidate.isAnnotatedWith(Breaks.class)) {
                expected.add(candidate.getAnnotationOfType(Breaks.class).value());
            }
            assertEquals(expected, finders, candidate.getName());
        }
    }

    /** Every rule has a planted class, whichever part of it. */
    @Test
    void everyRuleHasPlantedViolations() {
        for (Rule rule : rules()) {
            List<Violation> found = new ArrayList<>();
            planted.forEach(candidate -> found.addAll(rule.check(candidate)));
            assertTrue(!found.isEmpty(), rule.getClass().getSimpleName() + " of " + rule.name() + " found nothing");
        }
    }

    @Test
    void tableOfModulesHasNoCycle() {
        Modules modules = new Modules();
        TreeSet<String> left = new TreeSet<>(modules.table().keySet());
        boolean progress = true;
        while (progress) {
            progress = left.removeIf(from -> left.stream()
                    .noneMatch(
                            to -> !to.equals(from) && modules.table().get(from).contains(to)));
        }
        assertEquals(new TreeSet<>(), left);
    }

    @Test
    void tableAllowsOnlyWhatItSays() {
        Modules modules = new Modules();
        Map<String, List<String>> table = modules.table();
        assertTrue(modules.allows("storage", "records", false));
        assertTrue(modules.allows("raft", "config", false));
        assertTrue(modules.allows("protocol", "storage", true));
        assertTrue(!modules.allows("protocol", "storage", false));
        assertTrue(!modules.allows("common", "config", true));
        assertTrue(!modules.allows("records", "storage", true));
        assertTrue(table.entrySet().stream().noneMatch(entry -> entry.getValue().contains("cli")));
    }

    /** Generated code is out of scope: its form is not ours to choose. */
    private static boolean isWritten(JavaClass candidate) {
        return !candidate.getPackageName().startsWith("highwater.");
    }

    private static String lines(List<Violation> found) {
        return found.stream().map(Violation::toString).distinct().collect(Collectors.joining("\n"));
    }
}
