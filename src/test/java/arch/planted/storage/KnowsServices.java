package arch.planted.storage;

import arch.Breaks;
import arch.planted.services.MayUseErrors;

@Breaks("R7")
final class KnowsServices {
    MayUseErrors errors;
}
