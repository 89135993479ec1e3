package protocol;

import config.GroupConfig;
import java.util.List;
import services.GroupCoordinators;

/** The handlers about groups and committed offsets, for one server instance. */
public final class GroupHandlers {
    private GroupHandlers() {}

    /** @param coordinators of the same server instance */
    public record Parts(GroupCoordinators coordinators, GroupConfig config) {}

    public static List<ApiHandler> of(Parts parts) {
        return List.of();
    }
}
