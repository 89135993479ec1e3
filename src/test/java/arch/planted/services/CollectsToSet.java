package arch.planted.services;

import arch.Breaks;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

@Breaks("R4")
final class CollectsToSet {
    Set<String> set(List<String> list) {
        return list.stream().collect(Collectors.toSet());
    }
}
