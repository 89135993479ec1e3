package config;

import java.util.List;

/**
 * Who this node is and where it is found.
 *
 * @param listeners where clients connect, at least one
 * @param advertised what Metadata tells, one per entry of listeners and in that order; host null: the local address of the client's connection,
 *     port 0: the one really bound
 * @param controllerListeners listeners of controller.listener.names: noted, not opened while the quorum has one voter
 * @param rack null when not given
 */
public record NodeConfig(
        int nodeId,
        List<Listener> listeners,
        List<Listener> advertised,
        List<Listener> controllerListeners,
        String rack) {}
