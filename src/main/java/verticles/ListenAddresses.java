package verticles;

import config.Listener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Where listeners are bound: names are resolved once, at the start. */
final class ListenAddresses {

    private ListenAddresses() {}

    /** May block on the system's resolver. */
    static List<Door.Address> of(List<Listener> listeners) {
        List<Door.Address> addresses = new ArrayList<>();
        for (Listener listener : listeners) {
            addresses.add(new Door.Address(listener.name(), address(listener)));
        }
        return addresses;
    }

    private static InetSocketAddress address(Listener listener) {
        if (listener.host() == null || listener.host().isEmpty()) {
            return new InetSocketAddress(listener.port());
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(listener.host()), listener.port());
        } catch (UnknownHostException e) {
            throw new StartException(
                    "listeners=" + listener.name() + "://" + listener.host() + ":" + listener.port()
                            + ": this machine cannot resolve the host name. Use an address of this machine, or 0.0.0.0 for all of them.");
        }
    }
}
