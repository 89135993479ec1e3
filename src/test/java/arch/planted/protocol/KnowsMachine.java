package arch.planted.protocol;

import arch.Breaks;
import arch.planted.storage.Machine;

@Breaks("R7")
final class KnowsMachine {
    Machine machine;
}
