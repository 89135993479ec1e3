package arch.planted.protocol;

/** Found by R8: nothing makes one. */
final class UnusedHandler implements Contract {
    @Override
    public int handle() {
        return 0;
    }
}
