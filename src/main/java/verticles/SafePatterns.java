package verticles;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.core.CoreConstants;
import ch.qos.logback.core.pattern.DynamicConverter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Puts {@link LogText} behind logback's words for messages and stack traces in all patterns of a process, so that a configuration file need not think of it; a
 * conversionRule there has the last word. Also when logback reads the file again.
 */
final class SafePatterns implements LoggerContextListener {
    private static final List<String> MESSAGES = List.of("m", "msg", "message");
    private static final List<String> STACK_TRACES =
            List.of("ex", "exception", "throwable", "xEx", "xException", "xThrowable");
    private static final List<String> ROOT_FIRST = List.of("rEx", "rootException");

    private SafePatterns() {}

    static void install(LoggerContext context) {
        SafePatterns patterns = new SafePatterns();
        context.addListener(patterns);
        patterns.onReset(context);
    }

    @Override
    public boolean isResetResistant() {
        return true;
    }

    @Override
    public void onReset(LoggerContext context) {
        Map<String, Supplier<DynamicConverter<?>>> words = new LinkedHashMap<>();
        MESSAGES.forEach(word -> words.put(word, LogText.Message::new));
        STACK_TRACES.forEach(word -> words.put(word, LogText.StackTrace::new));
        ROOT_FIRST.forEach(word -> words.put(word, LogText.RootCauseFirst::new));
        context.putObject(CoreConstants.PATTERN_RULE_REGISTRY_FOR_SUPPLIERS, words);
    }

    @Override
    public void onStart(LoggerContext context) {
        // Nothing to do.
    }

    @Override
    public void onStop(LoggerContext context) {
        // Nothing to do.
    }

    @Override
    public void onLevelChange(Logger logger, Level level) {
        // Nothing to do.
    }
}
