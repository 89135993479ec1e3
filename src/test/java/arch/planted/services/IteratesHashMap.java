package arch.planted.services;

import arch.Breaks;
import java.util.HashMap;
import java.util.Map;

@Breaks("R4")
final class IteratesHashMap {
    Map<String, String> map() {
        return new HashMap<>();
    }
}
