package arch.planted.services;

import java.util.List;

final class MayKeepConstants {
    private static final List<String> NAMES = List.of("a");
    private static final int[] SIZES = {1, 2};

    static String first() {
        return NAMES.get(0) + SIZES[0];
    }
}
