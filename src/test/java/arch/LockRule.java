package arch;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** R3: an owner needs no lock: no synchronized, no monitors, nothing of java.util.concurrent but units and plain stages. */
final class LockRule implements Rule {

    private static final List<String> HARMLESS = List.of(
            "java.util.concurrent.TimeUnit",
            "java.util.concurrent.Callable",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.CompletableFuture",
            // R2's business.
            "java.util.concurrent.Future",
            "java.util.concurrent.Executors",
            "java.util.concurrent.ForkJoinPool",
            "java.util.concurrent.ThreadLocalRandom");

    @Override
    public String name() {
        return "R3";
    }

    @Override
    public List<Violation> check(JavaClass candidate) {
        String module = Modules.of(candidate).orElse("");
        List<Violation> found = new ArrayList<>();
        if (module.equals("verticles") || module.equals("cli")) {
            return found;
        }
        for (Dependency dependency : candidate.getDirectDependenciesFromSelf()) {
            String target = dependency.getTargetClass().getBaseComponentType().getName();
            boolean concurrent = target.startsWith("java.util.concurrent.") && !HARMLESS.contains(target);
            if (concurrent || target.startsWith("org.agrona.concurrent.")) {
                found.add(new Violation(candidate.getName(), dependency.getDescription()));
            }
        }
        for (JavaMethodCall call : candidate.getMethodCallsFromSelf()) {
            String owner = call.getTarget().getOwner().getName();
            String method = call.getTarget().getName();
            boolean monitor = owner.equals("java.lang.Object")
                    && (method.equals("wait") || method.equals("notify") || method.equals("notifyAll"));
            boolean wrapper = owner.equals("java.util.Collections") && method.startsWith("synchronized");
            if (monitor || wrapper) {
                found.add(new Violation(candidate.getName(), call.getDescription()));
            }
        }
        for (String where : monitors(candidate)) {
            found.add(new Violation(candidate.getName(), "synchronized in " + where));
        }
        return found;
    }

    /** Names of the methods that are synchronized or enter a monitor. */
    private static List<String> monitors(JavaClass candidate) {
        List<String> methods = new ArrayList<>();
        ClassVisitor visitor = new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String generic, String[] thrown) {
                if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
                    methods.add(name);
                }
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitInsn(int opcode) {
                        if (opcode == Opcodes.MONITORENTER) {
                            methods.add(name);
                        }
                    }
                };
            }
        };
        try (InputStream bytes =
                candidate.getSource().orElseThrow().getUri().toURL().openStream()) {
            new ClassReader(bytes).accept(visitor, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
        return methods;
    }
}
