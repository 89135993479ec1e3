package config;

import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/**
 * One line of the table of settings: name, type, default and bounds as Kafka has them, and what this broker does with it. Immutable.
 */
public final class ConfigKey {

    /** What becomes of a given value. */
    public enum Standing {
        /** Read by its owner. */
        IN_FORCE,
        /** Checked and noted, but nothing comes of it, whether or not it is read; the reason says why. */
        NO_EFFECT,
        /** Only the default may be given; the reason says why. */
        REFUSED
    }

    /** Where it may be changed while the broker runs. */
    public enum Update {
        READ_ONLY,
        PER_BROKER,
        CLUSTER_WIDE
    }

    private final String name;
    private final ConfigDef.Type type;
    private final Object defaultValue;
    private final ConfigDef.Validator validator;
    private final Standing standing;
    private final Update update;
    private final Class<?> owner;
    private final String text;

    /**
     * @param owner the record that reads it; null if none does
     * @param text what it does or, if not in force, why not
     */
    ConfigKey(
            String name,
            ConfigDef.Type type,
            Object defaultValue,
            ConfigDef.Validator validator,
            Standing standing,
            Class<?> owner,
            String text) {
        this(new Parts(name, type, defaultValue, validator, standing, owner, text), Update.READ_ONLY);
    }

    private ConfigKey(Parts parts, Update update) {
        this.name = parts.name;
        this.type = parts.type;
        this.defaultValue = parts.defaultValue;
        this.validator = parts.validator;
        this.standing = parts.standing;
        this.owner = parts.owner;
        this.text = parts.text;
        this.update = update;
    }

    private record Parts(
            String name,
            ConfigDef.Type type,
            Object defaultValue,
            ConfigDef.Validator validator,
            Standing standing,
            Class<?> owner,
            String text) {}

    ConfigKey withUpdate(Update changed) {
        return new ConfigKey(new Parts(name, type, defaultValue, validator, standing, owner, text), changed);
    }

    public String name() {
        return name;
    }

    public Standing standing() {
        return standing;
    }

    public Update update() {
        return update;
    }

    /** Simple name of the record that alone reads it (R10), "" if none does. */
    public String owner() {
        return owner == null ? "" : owner.getSimpleName();
    }

    /** What it does or, if not in force, why not. */
    public String text() {
        return text;
    }

    /** In Kafka's words: int, long, list and so on. */
    public String typeName() {
        return type.name().toLowerCase(java.util.Locale.ROOT);
    }

    /** The protocol's ConfigType id: 1 boolean, 2 string, 3 int, 4 short, 5 long, 6 double, 7 list, 8 class, 9 password. */
    public byte typeId() {
        return switch (type) {
            case BOOLEAN -> 1;
            case STRING -> 2;
            case INT -> 3;
            case SHORT -> 4;
            case LONG -> 5;
            case DOUBLE -> 6;
            case LIST -> 7;
            case CLASS -> 8;
            case PASSWORD -> 9;
        };
    }

    public boolean sensitive() {
        return type == ConfigDef.Type.PASSWORD;
    }

    public boolean list() {
        return type == ConfigDef.Type.LIST;
    }

    Object defaultValue() {
        return defaultValue;
    }

    /** The default as text, null when unset. */
    public String defaultText() {
        return text(defaultValue);
    }

    /** Bounds in words, "" when there are none. */
    public String allowed() {
        return validator == null ? "" : validator.toString();
    }

    /** The typed value. Throws Kafka's exception, with key, value and what is allowed in its message. */
    Object parse(String raw) {
        Object value = type == ConfigDef.Type.CLASS ? raw.trim() : ConfigDef.parseType(name, raw, type);
        if (validator != null) {
            validator.ensureValid(name, value);
        }
        return value;
    }

    /** What is wrong with a value, in Kafka's words; null when nothing is. */
    public String problem(String raw) {
        try {
            parse(raw);
            return null;
        } catch (ConfigException e) {
            return e.getMessage();
        }
    }

    /** Whether {@code raw} means the default; a value that cannot be parsed does not. */
    boolean isDefault(String raw) {
        if (problem(raw) != null) {
            return false;
        }
        String value = text(parse(raw));
        String usual = defaultText();
        boolean unset = value == null || value.isEmpty();
        return unset ? usual == null || usual.isEmpty() : value.equals(usual);
    }

    /** A value as text in the one form that DescribeConfigs shows. */
    String text(Object value) {
        if (value == null) {
            return null;
        }
        return type == ConfigDef.Type.CLASS ? value.toString() : ConfigDef.convertToString(value, type);
    }

    @Override
    public String toString() {
        return name;
    }
}
