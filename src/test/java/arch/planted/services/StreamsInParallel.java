package arch.planted.services;

import arch.Breaks;
import java.util.List;

@Breaks("R2")
final class StreamsInParallel {
    long count(List<Integer> list) {
        return list.parallelStream().count();
    }
}
