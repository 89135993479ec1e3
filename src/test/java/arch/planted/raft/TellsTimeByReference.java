package arch.planted.raft;

import arch.Breaks;
import java.util.function.LongSupplier;

@Breaks("R2")
final class TellsTimeByReference {
    LongSupplier clock() {
        return System::currentTimeMillis;
    }
}
