package metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Beside Apache Kafka's own. */
class DirectoryIdTest {
    @Test
    void reservedIdsAreKafkas() {
        assertEquals(org.apache.kafka.common.DirectoryId.UNASSIGNED, DirectoryId.UNASSIGNED);
        for (List<Uuid> working : List.of(List.of(new Uuid(7, 1), new Uuid(7, 2)), List.<Uuid>of())) {
            for (long high = -1; high <= 7; high++) {
                for (long low = -2; low < 103; low++) {
                    compare(new Uuid(high, low), working);
                }
            }
        }
    }

    private static void compare(Uuid id, List<Uuid> working) {
        boolean reserved = DirectoryId.isReserved(id);
        assertEquals(org.apache.kafka.common.DirectoryId.reserved(id), reserved, "" + id);
        boolean meaningless = reserved && (id.getLeastSignificantBits() < 0 || id.getLeastSignificantBits() > 2);
        if (!meaningless) {
            assertEquals(
                    org.apache.kafka.common.DirectoryId.isOnline(id, working),
                    DirectoryId.isOnline(id, working),
                    id + " of " + working);
        }
    }
}
