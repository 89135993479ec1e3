package arch;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.ArrayList;
import java.util.List;

/** Parts of R8 and R10 that need the whole code base: what is declared is also used. */
final class UseRule {

    private final JavaClasses all;

    UseRule(JavaClasses all) {
        this.all = all;
    }

    /** R8: a class that implements {@code contract} and that nobody makes is a handler for nothing. */
    List<Violation> neverMade(String contract) {
        List<Violation> found = new ArrayList<>();
        for (JavaClass candidate : all) {
            boolean concrete =
                    !candidate.isInterface() && !candidate.getModifiers().contains(JavaModifier.ABSTRACT);
            boolean implementation = concrete
                    && !candidate.isAnonymousClass()
                    && candidate.getAllRawInterfaces().stream()
                            .anyMatch(type -> type.getName().equals(contract));
            if (implementation && candidate.getConstructors().stream().noneMatch(this::isMade)) {
                found.add(new Violation(candidate.getName(), "implements " + contract + ", but nothing makes one"));
            }
        }
        return found;
    }

    /** R10: a setting in a record that no other package reads has no effect, whatever the table of keys says. */
    List<Violation> neverRead(String recordName) {
        JavaClass owner = all.get(recordName);
        List<Violation> found = new ArrayList<>();
        for (JavaField component : owner.getFields()) {
            if (component.getModifiers().contains(JavaModifier.STATIC)) {
                continue;
            }
            // In the record itself the field is read: by its accessor, and by methods that derive something from it.
            boolean read = component.getAccessesToSelf().stream()
                    .map(JavaFieldAccess::getOrigin)
                    .anyMatch(reader ->
                            reader instanceof JavaMethod method && isReadElsewhere(method, owner, new ArrayList<>()));
            if (!read) {
                found.add(new Violation(recordName, component.getName() + " is read by no other package"));
            }
        }
        return found;
    }

    private boolean isMade(JavaConstructor constructor) {
        return !constructor.getCallsOfSelf().isEmpty()
                || !constructor.getReferencesToSelf().isEmpty();
    }

    /** Read outside of the record's package, at once or through another method of the record. */
    private static boolean isReadElsewhere(JavaMethod method, JavaClass owner, List<JavaMethod> seen) {
        if (seen.contains(method)) {
            return false;
        }
        seen.add(method);
        List<JavaCodeUnit> readers = new ArrayList<>();
        method.getCallsOfSelf().forEach(call -> readers.add(call.getOrigin()));
        method.getReferencesToSelf().forEach(reference -> readers.add(reference.getOrigin()));
        for (JavaCodeUnit reader : readers) {
            if (!reader.getOwner().getPackageName().equals(owner.getPackageName())) {
                return true;
            }
            boolean derived = reader.getOwner().equals(owner) && reader instanceof JavaMethod;
            if (derived && isReadElsewhere((JavaMethod) reader, owner, seen)) {
                return true;
            }
        }
        return false;
    }
}
