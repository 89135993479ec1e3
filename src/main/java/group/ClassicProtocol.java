package group;

import java.util.Arrays;

/**
 * One assignor that a member offers, and what the member says to it.
 *
 * @param metadata never changed
 */
record ClassicProtocol(String name, byte[] metadata) {

    @Override
    public boolean equals(Object other) {
        return other instanceof ClassicProtocol that
                && name.equals(that.name)
                && Arrays.equals(metadata, that.metadata);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + Arrays.hashCode(metadata);
    }
}
