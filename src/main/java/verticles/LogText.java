package verticles;

import ch.qos.logback.classic.pattern.ExtendedThrowableProxyConverter;
import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.pattern.RootCauseFirstThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;

/**
 * What log lines are allowed to look like, whoever wrote the text in them: names of groups, members, transactions and clients come from clients, and a line break in
 * one would forge a line of the log, an escape sequence would command a terminal. At the end of the pipe, so that no caller has to think of it.
 */
public final class LogText {
    private static final char DELETE = 0x7f;
    private static final char LAST_CONTROL = 0x9f;

    private LogText() {}

    /** The pattern word {@code %msg}. */
    public static final class Message extends MessageConverter {
        @Override
        public String convert(ILoggingEvent event) {
            return escaped(super.convert(event));
        }
    }

    /** The pattern word {@code %ex}: lines of its own for each frame, but none that a message makes. */
    public static final class StackTrace extends ExtendedThrowableProxyConverter {
        @Override
        protected String throwableProxyToString(IThrowableProxy thrown) {
            return super.throwableProxyToString(new OneLine(thrown));
        }
    }

    /** The pattern word {@code %rEx}. */
    public static final class RootCauseFirst extends RootCauseFirstThrowableProxyConverter {
        @Override
        protected String throwableProxyToString(IThrowableProxy thrown) {
            return super.throwableProxyToString(new OneLine(thrown));
        }
    }

    /** Control characters, what breaks lines or turns their direction, and halves of characters, as backslash escapes. */
    static String escaped(String text) {
        if (text == null) {
            return null;
        }
        for (int i = 0; i < text.length(); i++) {
            if (!isPlain(text, i)) {
                return escapedFrom(i, text);
            }
        }
        return text;
    }

    private static String escapedFrom(int first, String text) {
        StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, first);
        for (int i = first; i < text.length(); i++) {
            char each = text.charAt(i);
            if (isPlain(text, i)) {
                out.append(each);
                continue;
            }
            switch (each) {
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> out.append("\\u").append("%04x".formatted((int) each));
            }
        }
        return out.toString();
    }

    private static boolean isPlain(String text, int at) {
        char each = text.charAt(at);
        if (each < DELETE) {
            return each >= ' ';
        }
        if (each <= LAST_CONTROL) {
            return false;
        }
        if (Character.isHighSurrogate(each)) {
            return at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1));
        }
        if (Character.isLowSurrogate(each)) {
            return at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
        }
        return switch (Character.getType(each)) {
            case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.FORMAT -> false;
            default -> true;
        };
    }

    private record OneLine(IThrowableProxy thrown) implements IThrowableProxy {
        private static IThrowableProxy of(IThrowableProxy thrown) {
            return thrown == null ? null : new OneLine(thrown);
        }

        @Override
        public String getMessage() {
            return escaped(thrown.getMessage());
        }

        @Override
        public String getClassName() {
            return thrown.getClassName();
        }

        @Override
        public StackTraceElementProxy[] getStackTraceElementProxyArray() {
            return thrown.getStackTraceElementProxyArray();
        }

        @Override
        public int getCommonFrames() {
            return thrown.getCommonFrames();
        }

        @Override
        public IThrowableProxy getCause() {
            return of(thrown.getCause());
        }

        @Override
        public IThrowableProxy[] getSuppressed() {
            IThrowableProxy[] suppressed = thrown.getSuppressed();
            IThrowableProxy[] escaped = new IThrowableProxy[suppressed.length];
            for (int i = 0; i < escaped.length; i++) {
                escaped[i] = of(suppressed[i]);
            }
            return escaped;
        }

        @Override
        public boolean isCyclic() {
            return thrown.isCyclic();
        }
    }
}
