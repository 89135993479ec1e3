package arch;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;

/** One rule over compiled classes. */
interface Rule {
    /** Such as R3. Several rules may share a name: parts of one rule of the plan. */
    String name();

    List<Violation> check(JavaClass candidate);
}
