package arch.planted.metadata;

import arch.Breaks;
import java.util.UUID;

@Breaks("R2")
final class DrawsUuid {
    UUID id() {
        return UUID.randomUUID();
    }
}
