package common;

/** Planted bugs by name; each must be found by the simulator. Always off in production. */
@FunctionalInterface
public interface Mutations {
    Mutations NONE = name -> false;

    boolean active(String name);
}
