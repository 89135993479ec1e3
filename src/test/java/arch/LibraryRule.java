package arch;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayList;
import java.util.List;

/**
 * R1, R5, R6: some library packages are for some modules only. A class or package counts by its longest matching prefix in
 * {@code grants}; what matches none is free for all.
 */
final class LibraryRule implements Rule {

    /**
     * Who may use what lies below a prefix.
     *
     * @param prefix of a fully qualified class name
     * @param modules empty means nobody; {@code *} means all
     */
    record Grant(String prefix, List<String> modules) {
        boolean allows(String module) {
            return modules.contains(module) || (modules.contains("*") && !modules.contains("-" + module));
        }
    }

    private final String name;
    private final List<Grant> grants;

    private LibraryRule(String name, List<Grant> grants) {
        this.name = name;
        this.grants = grants;
    }

    /** R1: Vert.x and its kin only where the product meets them. */
    static LibraryRule frameworks() {
        List<String> host = List.of("verticles");
        return new LibraryRule(
                "R1",
                List.of(
                        new Grant("io.vertx.", host),
                        new Grant("io.netty.", host),
                        new Grant("com.hazelcast.", host),
                        new Grant("io.reactivex.", List.of("verticles", "edge"))));
    }

    /** R5: Kafka's messages and names for all but the parts that must not care; its machinery for few. */
    static LibraryRule kafka() {
        List<String> names = List.of("*", "-storage", "-raft", "-edge");
        List<String> machinery = List.of("records", "protocol", "config", "security", "cli");
        return new LibraryRule(
                "R5",
                List.of(
                        new Grant("org.apache.kafka.common.message.", names),
                        new Grant("org.apache.kafka.common.protocol.ApiMessage", names),
                        new Grant("org.apache.kafka.common.protocol.Message", names),
                        new Grant("org.apache.kafka.common.protocol.ApiKeys", names),
                        new Grant("org.apache.kafka.common.protocol.Errors", names),
                        new Grant("org.apache.kafka.common.Uuid", names),
                        new Grant("org.apache.kafka.common.TopicPartition", names),
                        // Constants of the protocol that the library keeps among its clients, and its errors as
                        // classes.
                        new Grant("org.apache.kafka.clients.admin.AlterConfigOp$OpType", names),
                        new Grant("org.apache.kafka.common.config.ConfigResource", names),
                        new Grant("org.apache.kafka.common.errors.", names),
                        // Names of the internal topics, and the collections that generated messages consist of.
                        new Grant("org.apache.kafka.common.internals.Topic", names),
                        new Grant("org.apache.kafka.common.utils.ImplicitLinkedHash", names),
                        new Grant("org.apache.kafka.common.utils.internals.ImplicitLinkedHash", names),
                        new Grant("org.apache.kafka.", machinery)));
    }

    /** R6: files, channels and sockets only behind the ports. */
    static LibraryRule files() {
        List<String> host = List.of("verticles", "cli");
        return new LibraryRule(
                "R6",
                List.of(
                        new Grant("java.nio.channels.", host),
                        new Grant("java.nio.file.", host),
                        new Grant("java.io.File", host),
                        new Grant("java.io.RandomAccessFile", host),
                        new Grant("java.net.", host),
                        new Grant("javax.net.", host)));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Violation> check(JavaClass candidate) {
        String module = Modules.of(candidate).orElse("");
        List<Violation> found = new ArrayList<>();
        for (Dependency dependency : candidate.getDirectDependenciesFromSelf()) {
            String target = dependency.getTargetClass().getBaseComponentType().getName();
            Grant grant = grantFor(target);
            if (grant != null && !grant.allows(module)) {
                found.add(new Violation(
                        candidate.getName(),
                        module + " must not use " + target + " (" + grant.prefix() + " is for " + grant.modules()
                                + "): " + dependency.getDescription()));
            }
        }
        return found;
    }

    private Grant grantFor(String target) {
        Grant best = null;
        for (Grant grant : grants) {
            if (target.startsWith(grant.prefix())
                    && (best == null || grant.prefix().length() > best.prefix().length())) {
                best = grant;
            }
        }
        return best;
    }
}
