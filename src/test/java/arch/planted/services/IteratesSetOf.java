package arch.planted.services;

import arch.Breaks;
import java.util.Set;

@Breaks("R4")
final class IteratesSetOf {
    Set<String> set() {
        return Set.of("a", "b");
    }
}
