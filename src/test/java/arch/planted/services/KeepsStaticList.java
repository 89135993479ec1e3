package arch.planted.services;

import arch.Breaks;
import java.util.ArrayList;
import java.util.List;

@Breaks("R7")
final class KeepsStaticList {
    private static final List<String> SEEN = new ArrayList<>();

    static void see(String name) {
        SEEN.add(name);
    }
}
