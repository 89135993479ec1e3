package arch;

import com.tngtech.archunit.core.domain.JavaClass;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/** R7, second part: no static mutable state. Constants are looked at as they are in the running JVM. */
final class StaticStateRule implements Rule {

    private static final List<String> UNMODIFIABLE = List.of(
            "java.util.ImmutableCollections", "java.util.Collections$Unmodifiable", "java.util.Collections$Empty");

    private static final List<String> MUTABLE = List.of(
            "java.util.concurrent.",
            "java.util.Random",
            "java.util.BitSet",
            "java.lang.StringBuilder",
            "java.lang.StringBuffer",
            "java.lang.ThreadLocal",
            "java.util.Date",
            "java.io.",
            "org.agrona.");

    @Override
    public String name() {
        return "R7";
    }

    @Override
    public List<Violation> check(JavaClass candidate) {
        List<Violation> found = new ArrayList<>();
        Class<?> loaded;
        try {
            loaded = Class.forName(candidate.getName());
        } catch (ClassNotFoundException problem) {
            throw new IllegalStateException(problem);
        }
        for (Field field : loaded.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) {
                continue;
            }
            String problem = Modifier.isFinal(field.getModifiers()) ? mutable(field) : "is not final";
            if (problem != null) {
                found.add(new Violation(
                        candidate.getName(), "static " + field.getName() + " " + problem + "; hand state in"));
            }
        }
        return found;
    }

    /** Why the value of a constant can change; null if it cannot, as far as can be seen. */
    private static String mutable(Field field) {
        if (field.getType().isPrimitive()) {
            return null;
        }
        if (field.getType().isArray()) {
            return Modifier.isPrivate(field.getModifiers()) ? null : "is an array that others can write to";
        }
        field.setAccessible(true);
        Object value;
        try {
            value = field.get(null);
        } catch (IllegalAccessException problem) {
            throw new IllegalStateException(problem);
        }
        if (value == null || value instanceof Enum<?>) {
            return null;
        }
        String type = value.getClass().getName();
        if (value instanceof Collection<?> || value instanceof Map<?, ?>) {
            return UNMODIFIABLE.stream().anyMatch(type::startsWith) ? null : "is a modifiable " + type;
        }
        if (value instanceof Buffer buffer) {
            return buffer.isReadOnly() ? null : "is a buffer that can be written to";
        }
        if (value instanceof AtomicIntegerFieldUpdater<?> || value instanceof AtomicLongFieldUpdater<?>) {
            // The name of a field; the state is in the objects.
            return null;
        }
        if (MUTABLE.stream().anyMatch(type::startsWith)) {
            return "is a mutable " + type;
        }
        return ownState(value.getClass());
    }

    /** A class of ours with a field that can be assigned again. */
    private static String ownState(Class<?> type) {
        if (type.getClassLoader() != StaticStateRule.class.getClassLoader() || isLibrary(type)) {
            return null;
        }
        for (Field field : type.getDeclaredFields()) {
            boolean changes = !Modifier.isStatic(field.getModifiers()) && !Modifier.isFinal(field.getModifiers());
            if (changes && !field.isSynthetic()) {
                return "is a " + type.getName() + ", whose " + field.getName() + " can change";
            }
        }
        return null;
    }

    private static boolean isLibrary(Class<?> type) {
        String name = type.getPackageName();
        return name.startsWith("org.") || name.startsWith("io.") || name.startsWith("com.") || name.startsWith("ch.");
    }
}
