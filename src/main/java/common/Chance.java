package common;

/** Named points where the simulator may make a legal but unlucky choice ("buggify"). Always false in production. */
@FunctionalInterface
public interface Chance {
    Chance NEVER = point -> false;

    boolean rarely(String point);
}
