package arch.planted.protocol;

import arch.planted.config.Settings;

final class UsedHandler implements Contract {
    private final Settings settings;

    UsedHandler(Settings settings) {
        this.settings = settings;
    }

    static Contract make(Settings settings) {
        return new UsedHandler(settings);
    }

    @Override
    public int handle() {
        return settings.read() + settings.doubled();
    }
}
