package arch.planted.services;

import java.util.LinkedHashMap;
import java.util.Map;

final class MayUseSmallMaps {
    Map<String, String> none() {
        return Map.of();
    }

    Map<String, String> one() {
        return Map.of("a", "b");
    }

    Map<String, String> many() {
        return new LinkedHashMap<>();
    }
}
