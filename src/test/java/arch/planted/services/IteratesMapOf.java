package arch.planted.services;

import arch.Breaks;
import java.util.Map;

@Breaks("R4")
final class IteratesMapOf {
    Map<String, String> map() {
        return Map.of("a", "b", "c", "d");
    }
}
