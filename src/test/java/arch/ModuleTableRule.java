package arch;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** R7, first part: a package uses only the packages that the table allows, of some only their records and enums. */
final class ModuleTableRule implements Rule {

    private final Modules modules = new Modules();

    @Override
    public String name() {
        return "R7";
    }

    @Override
    public List<Violation> check(JavaClass candidate) {
        List<Violation> found = new ArrayList<>();
        String from = Modules.of(candidate).orElse("(default package)");
        if (!modules.knows(from)) {
            found.add(new Violation(candidate.getName(), "package " + from + " is not in the table of modules"));
            return found;
        }
        Set<String> seen = new LinkedHashSet<>();
        for (Dependency dependency : candidate.getDirectDependenciesFromSelf()) {
            JavaClass target = dependency.getTargetClass().getBaseComponentType();
            if (!modules.isOurs(target)) {
                continue;
            }
            String to = Modules.of(target).orElse("(default package)");
            boolean value = target.isRecord() || target.isEnum();
            if (!modules.allows(from, to, value) && seen.add(target.getName())) {
                found.add(new Violation(
                        candidate.getName(), from + " must not know " + to + ": " + dependency.getDescription()));
            }
        }
        return found;
    }
}
