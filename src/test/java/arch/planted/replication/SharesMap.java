package arch.planted.replication;

import arch.Breaks;
import java.util.concurrent.ConcurrentHashMap;

@Breaks("R3")
final class SharesMap {
    private final ConcurrentHashMap<String, String> map = new ConcurrentHashMap<>();

    String get(String key) {
        return map.get(key);
    }
}
